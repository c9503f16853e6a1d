// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/**
 * How long processes are waited for that read or write files of a cluster: much longer than they
 * take, and none of them for ever.
 */
public final class Patience {
  /** For a JVM to start on a busy machine, and to find out of what does not answer. */
  private static final Duration START = Duration.ofMinutes(5);

  /** Less than any device gives, whoever else reads from it. */
  private static final long BYTES_PER_SECOND = 1L << 20;

  /** Beside the start: images have holes, and few clusters have as much as theirs could hold. */
  private static final Duration READ_MAX = Duration.ofMinutes(30);

  private Patience() {}

  /**
   * For one that starts, and goes once through all files that the cluster's volumes can hold: at
   * most 35 min.
   */
  public static Duration of(Cluster cluster) throws IOException {
    long bytes = 0;
    for (int i = 0; i < cluster.dataNodes(); i++) {
      bytes += Files.size(cluster.volume(i).image());
    }
    return ofBytes(bytes);
  }

  static Duration ofBytes(long bytes) {
    return START.plusSeconds(Math.min(READ_MAX.toSeconds(), bytes / BYTES_PER_SECOND));
  }
}
