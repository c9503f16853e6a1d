// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Stock HDFS's writer of an erasure-coded file, for what comes behind groups that somebody else
 * wrote. It has a thread for each block of a group and keeps the last group to itself, so that
 * nobody can be its heir as {@link RestOfFile} is of the other one. But it is made to append to a
 * file in a new group, too: where something was written before, one is made that way. For one
 * thread at a time.
 */
final class RestOfGroups {
  private static final DatanodeInfo[] NOWHERE = {};

  private final DFSStripedOutputStream stock;

  /** Null until a byte is written by it. */
  private @Nullable DFSStripedOutputStream rest;

  private boolean ended;

  /**
   * @param stock as the file was created by; its threads wait for bytes
   */
  RestOfGroups(DFSStripedOutputStream stock) {
    this.stock = stock;
  }

  /** Whether stock HDFS writes, and completes the file. */
  boolean isBegun() {
    return rest != null;
  }

  /**
   * Writes more.
   *
   * @param before the last group that somebody else wrote; null if there is none
   */
  void write(byte[] source, int at, int count, @Nullable ExtendedBlock before) throws IOException {
    DFSStripedOutputStream to = rest;
    if (to == null) {
      to = before == null ? stock : behind(before);
      rest = to;
    }
    to.write(source, at, count);
  }

  /** Of the same file, under the same lease, which the heir has. */
  private DFSStripedOutputStream behind(ExtendedBlock before) throws IOException {
    EnumSet<CreateFlag> flags = EnumSet.noneOf(CreateFlag.class);
    for (AddBlockFlag flag : stock.getAddBlockFlags()) {
      flags.add(CreateFlag.valueOf(flag.name())); // which it was made of
    }
    DFSStripedOutputStream next =
        new DFSStripedOutputStream(
            stock.dfsClient,
            stock.src,
            flags,
            stock.streamer.progress,
            new LocatedBlock(before, NOWHERE),
            stock.streamer.stat,
            stock.streamer.checksum4WriteBlock,
            null);
    next.start();
    return next;
  }

  /** Writes what is left, and completes the file. Only where it is begun. */
  void close() throws IOException {
    DFSStripedOutputStream begun = rest;
    if (begun != null) {
      begun.close();
    }
  }

  /** Ends it as a lease that is lost does, begun or not; who closes the file hears of it. */
  void abort() throws IOException {
    DFSStripedOutputStream begun = rest;
    try {
      stock.abort();
    } finally {
      if (begun != null && begun != stock) {
        begun.abort();
      }
    }
  }

  void setDropBehind(Boolean dropBehind) throws IOException {
    DFSStripedOutputStream begun = rest;
    (begun == null ? stock : begun).setDropBehind(dropBehind);
  }

  /** Ends the threads that the file was created with, and frees their buffers. Idempotent. */
  void end() {
    if (ended) {
      return;
    }
    ended = true;
    try {
      stock.closeThreads(true);
      stock.closeImpl(); // frees what it encodes with
    } catch (IOException e) {
      DFSClient.LOG.debug("RDIO: {} had nothing to write, and fails to end", stock, e);
    }
  }
}
