// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

/** What threads of a DataNode do, by what their names begin with. */
public enum CpuGroup {
  /** They compile what others run often, less and less of it as a JVM grows old. */
  COMPILERS("compilers"),
  /** They collect garbage, besides what the thread of the JVM itself does of it. */
  COLLECTORS("GC"),
  /** RDIO's own, but for those that end with their work. */
  RDIO("RDIO"),
  /** HDFS's, and the others of the JVM. */
  REST("rest"),
  /**
   * Those that ended before they could be asked: what is left of the process's time. RDIO has such
   * a one for each Commit, stock HDFS for each block that is sent to it.
   */
  ENDED("ended threads");

  private final String label;

  CpuGroup(String label) {
    this.label = label;
  }

  /** What reports call it. */
  public String label() {
    return label;
  }

  /**
   * Of a thread that has not ended.
   *
   * @param name as the kernel has it: newer JVMs leave out the middle of what is longer than 15
   *     characters, others the end, and both have the first seven
   */
  static CpuGroup of(String name) {
    if (name.startsWith("C1 Comp") || name.startsWith("C2 Comp")) {
      return COMPILERS;
    }
    if (name.startsWith("G1 ") || name.startsWith("GC Thre")) {
      return COLLECTORS;
    }
    return name.startsWith("rdio-") ? RDIO : REST;
  }
}
