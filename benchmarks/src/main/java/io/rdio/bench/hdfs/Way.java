// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

/** How the bytes of a file can be got. */
public enum Way {
  /** By the DataNode, over TCP, as every client that is not on its host does. */
  STOCK("stock remote"),
  /** HDFS-2246: the client opens the block files itself. Works on the DataNode's host only. */
  SHORT_CIRCUIT("short-circuit"),
  /** By RDIO, which opens the device for the first read. */
  RDIO("rdio"),
  /** By RDIO, which opens the device once a process has read as much as it is by default. */
  GROWN("rdio, by default"),
  /** By RDIO, and there by the agent of this host. */
  AGENT("rdio, agent"),
  /** By the agent, erasure-coded: it commits a group's data and parity together. */
  IMMEDIATE("rdio, immediate parity"),
  /** By the agent, erasure-coded: parity comes behind the data. */
  DEFERRED("rdio, deferred parity"),
  /** By RDIO or by the DataNode, whichever RDIO finds to be faster. */
  ROUTED("rdio, routing"),
  /** By RDIO with a block data cache. */
  CACHED("rdio, data cache"),
  /**
   * On the volume's host, without HDFS and without checksums: files of its file system are opened,
   * read and written by O_DIRECT, and closed.
   */
  LOCAL("local files"),
  /** O_DIRECT on the device, without HDFS and without checksums: the limit. */
  RAW("raw device");

  private final String label;

  Way(String label) {
    this.label = label;
  }

  /** Whether the agent of the host does the work. */
  public boolean isByAgent() {
    return this == AGENT || this == IMMEDIATE || this == DEFERRED;
  }

  /** What reports call it. */
  public String label() {
    return label;
  }
}
