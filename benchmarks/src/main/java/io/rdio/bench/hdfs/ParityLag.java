// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;

/**
 * When the files of a pass that writes by an erasure code had their parity.
 *
 * @param groups that were committed before it
 * @param groupSeconds for which those were without it, all together
 * @param agentSeconds from the end of the pass until the agent had written all of it
 * @param knownSeconds from the end of the pass until the NameNode knew of all blocks
 */
public record ParityLag(
    long groups, double groupSeconds, double agentSeconds, double knownSeconds) {
  /** Of a pass that wrote none, or read. */
  public static final ParityLag NONE = new ParityLag(0, 0, 0, 0);

  private static final double MILLIS = 1e3;

  /**
   * What an agent says of a pass.
   *
   * @param before what it said before the pass
   * @param behind and when no group was without parity any more
   * @param agentSeconds from the end of the pass until then
   * @throws IOException if not all of it was written: the pass is no measurement
   */
  static ParityLag of(AgentFigures before, AgentFigures behind, double agentSeconds)
      throws IOException {
    long lost = behind.since(before, "parity_blocks_lost_total");
    if (lost > 0) {
      throw new IOException(
          lost + " blocks of deferred parity were not written; the log of the agent says why");
    }
    long millis = behind.since(before, "parity_deferred_milliseconds_total");
    return new ParityLag(
        behind.since(before, "parity_deferred_groups_total"), millis / MILLIS, agentSeconds, 0);
  }

  /** The same with when the NameNode knew. */
  ParityLag knownAfter(double seconds) {
    return new ParityLag(groups, groupSeconds, agentSeconds, seconds);
  }

  /** How long such a group was without parity on average, in seconds; NaN if there was none. */
  public double meanGroupSeconds() {
    return groups == 0 ? Double.NaN : groupSeconds / groups;
  }

  /** Both passes together. */
  public ParityLag plus(ParityLag other) {
    return new ParityLag(
        groups + other.groups,
        groupSeconds + other.groupSeconds,
        agentSeconds + other.agentSeconds,
        knownSeconds + other.knownSeconds);
  }
}
