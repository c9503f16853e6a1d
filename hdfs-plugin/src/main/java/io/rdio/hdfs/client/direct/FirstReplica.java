// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.filemap.FileMapSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;

/**
 * By which replica a reader of a DataNode begins: the nearest one. Where reads are to come to all
 * replicas, now and then any: the order is that of the NameNode's last answer, so that one would be
 * read, and others could be corrupt, for long.
 *
 * @param maps say how many replicas are read by
 */
record FirstReplica(FileMapSource maps) implements IntUnaryOperator {
  /** A reader in so many begins by any. */
  private static final int VISIT_EVERY = 64;

  @Override
  public int applyAsInt(int replicas) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    boolean visits = maps.replicas() > 1 && random.nextInt(VISIT_EVERY) == 0;
    return visits ? random.nextInt(replicas) : 0;
  }
}
