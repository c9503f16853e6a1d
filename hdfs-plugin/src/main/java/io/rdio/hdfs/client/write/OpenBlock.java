// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.agent.ipc.GroupStripes;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * A block that is being written past the DataNodes. Its bytes are nowhere else, so it is lost with
 * its replicas, and its file with it. For one thread at a time.
 */
final class OpenBlock implements Closeable {
  /** Replication from which on stock HDFS wants more than half of the replicas to go on. */
  private static final int REPLICATION_OF_MAJORITIES = 3;

  private final OpenFile file;
  private final LocatedBlock located;
  private final RemoteBlock replicas;
  private final int replicationMin;
  private final WriteCounters counters;

  /**
   * @param replicationMin replicas without which the NameNode takes no block for written
   */
  OpenBlock(
      OpenFile file,
      LocatedBlock located,
      RemoteBlock replicas,
      int replicationMin,
      WriteCounters counters) {
    this.file = file;
    this.located = located;
    this.replicas = replicas;
    this.replicationMin = replicationMin;
    this.counters = counters;
  }

  /** Bytes that it has. */
  long length() {
    return replicas.length();
  }

  void write(byte[] source, int at, int count) throws IOException {
    long begun = System.nanoTime();
    try {
      replicas.write(source, at, count);
    } catch (FallbackException e) {
      throw lost("behind byte " + replicas.length(), e);
    } finally {
      counters.handOverNanos.add(System.nanoTime() - begun);
    }
  }

  /**
   * Ends it as long as it is.
   *
   * @return it, with its length
   * @throws IOException if fewer replicas are there than stock HDFS would go on with
   */
  ExtendedBlock commit() throws IOException {
    long length = replicas.length();
    int targets = located.getLocations().length;
    int needed = needed(targets);
    int committed;
    long begun = System.nanoTime();
    try {
      committed = Long.bitCount(replicas.commit(needed));
    } catch (FallbackException e) {
      throw lost("as it was to be committed", e);
    } finally {
      counters.commitNanos.add(System.nanoTime() - begun);
    }
    if (committed < needed) {
      counters.lostBlocks.increment();
      throw new IOException(
          String.format(
              "RDIO: %s: block %s has %d of %d replicas, fewer than the %d that a writer goes on"
                  + " with. The DataNodes' logs say why; write the file again",
              file.path(), located.getBlock(), committed, targets, needed));
    }
    counters.bytes.add(length);
    counters.blocks.increment();
    counters.missedReplicas.add(targets - committed);
    ExtendedBlock written = new ExtendedBlock(located.getBlock());
    written.setNumBytes(length);
    return written;
  }

  /** Of a group as many blocks as its data is made of again. */
  private int needed(int targets) {
    GroupStripes stripes = file.stripes();
    return stripes == null
        ? needed(targets, file.replication(), replicationMin)
        : stripes.dataUnits();
  }

  /** As many as stock HDFS goes on with that finds no other DataNode, and as the NameNode needs. */
  static int needed(int targets, int replication, int replicationMin) {
    int majority = replication < REPLICATION_OF_MAJORITIES ? 1 : replication / 2 + 1;
    return Math.min(targets, Math.max(majority, replicationMin));
  }

  private IOException lost(String when, FallbackException why) {
    counters.lostBlocks.increment();
    String message =
        String.format(
            "RDIO: %s: block %s is lost %s: %s. Write the file again",
            file.path(), located.getBlock(), when, why.getMessage());
    if (why.reason() == FallbackReason.INTERRUPTED) {
      InterruptedIOException interrupted = new InterruptedIOException(message);
      interrupted.initCause(why);
      return interrupted;
    }
    return new IOException(message, why);
  }

  /** Gives it up, unless it was committed. Idempotent. */
  @Override
  public void close() {
    replicas.close();
  }
}
