// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.hdfs.cluster.TestClusters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.provider.Arguments;

/**
 * The two modes of a client: it opens devices itself, or the agent of its host reads for it. Tests
 * of what a reader gets run in both.
 *
 * <p>The others are of direct clients only, for what they are about is in no client of an agent, or
 * is the agent's as it is a direct client's, by the same code:
 *
 * <ul>
 *   <li>stock HDFS in front of a map, routing and the block data cache are ways of direct clients
 *       (FirstBytesIT, RoutingIT, BlockDataCacheIT, DataCacheAgentIT);
 *   <li>what DataNodes and clients say to each other, with leases, pins, proofs and TLS: the agent
 *       says it as a client (most of the packages {@code fault} and {@code datanode}).
 * </ul>
 */
public enum ReadMode {
  /** As a host without an agent has it. */
  DIRECT,

  /** An agent is required, so that nothing else reads in its stead but stock HDFS. */
  BY_AGENT;

  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  /**
   * File systems and modes for a class that runs in both modes. An agent's way to a device is a
   * direct client's, so it is tried on more file systems only where {@link
   * TestClusters#fileSystems} has more.
   */
  public static List<Arguments> onFileSystems() {
    List<Arguments> all = new ArrayList<>();
    all.add(Arguments.of("ext4", DIRECT));
    all.add(Arguments.of("xfs", DIRECT));
    for (String fileSystem : TestClusters.fileSystems()) {
      all.add(Arguments.of(fileSystem, BY_AGENT));
    }
    return all;
  }

  /**
   * As {@link #onFileSystems}, with {@link Crcs}: on ext4 without an agent they are unchecked, as
   * what guards bytes then is above the file system; with {@code -Drdio.test.all=true} checked,
   * too, and unchecked by an agent.
   */
  public static List<Arguments> onFileSystemsByCrcs() {
    List<Arguments> all = new ArrayList<>();
    all.add(Arguments.of("ext4", DIRECT, Crcs.UNCHECKED));
    if (ALL) {
      all.add(Arguments.of("ext4", DIRECT, Crcs.CHECKED));
      all.add(Arguments.of("ext4", BY_AGENT, Crcs.UNCHECKED));
    }
    for (Arguments each : onFileSystems()) {
      if (!each.get()[0].equals("ext4") || each.get()[1] != DIRECT) {
        all.add(Arguments.of(each.get()[0], each.get()[1], Crcs.CHECKED));
      }
    }
    return all;
  }

  /**
   * For tests to which the one is much like the other: by an agent, as packages set it up, and with
   * {@code -Drdio.test.all=true} directly, too.
   */
  public static List<ReadMode> alike() {
    return ALL ? List.of(values()) : List.of(BY_AGENT);
  }
}
