// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import io.rdio.hdfs.client.way.BlockWays;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Hadoop's view of a block that is read by RDIO: by one {@link BlockWay} after the other, none of
 * them twice. Safe for any number of threads; a close may come at any time and repeatedly.
 *
 * <p>If no other way can serve a read, stock HDFS serves it and all later ones, inside this
 * accessor: an IOException would make DFSInputStream write off a healthy DataNode, which a
 * positional read of a block with one replica, or a read of an erasure-coded block, does not get
 * over. From then on the accessor also reports itself as what it is, a remote reader.
 */
public final class RdioReplicaAccessor extends ReplicaAccessor {
  private static final Reads<byte[]> TO_ARRAY = BlockWay::read;
  private static final Reads<ByteBuffer> TO_BUFFER = BlockWay::read;

  private final BlockWays ways;
  private final BlockToRead block;
  private volatile BlockWay way;
  private int turn; // of that way; under the lock
  private volatile boolean closed;

  /** Either of a way's two reads. */
  @FunctionalInterface
  private interface Reads<T> {
    int by(BlockWay way, long offset, T target, int at, int count)
        throws FallbackException, IOException;
  }

  private RdioReplicaAccessor(BlockWays ways, BlockToRead block) throws FallbackException {
    this.ways = ways;
    this.block = block;
    BlockWay first = ways.open(0, block);
    while (first == null) {
      turn++;
      first = ways.open(turn, block);
    }
    this.way = first;
  }

  /**
   * An accessor of one block, with the first way that there is to it.
   *
   * @throws FallbackException why stock HDFS must serve this block; not counted yet
   */
  static RdioReplicaAccessor open(BlockWays ways, BlockToRead block) throws FallbackException {
    return new RdioReplicaAccessor(ways, block);
  }

  @Override
  public int read(long pos, byte[] buf, int off, int len) throws IOException {
    if ((off | len | (buf.length - off - len)) < 0) {
      throw new IndexOutOfBoundsException(
          len + " bytes from " + off + " on, in an array of " + buf.length);
    }
    int count = readable(pos, len);
    return count <= 0 ? count : serve(TO_ARRAY, pos, buf, off, count);
  }

  @Override
  public int read(long pos, ByteBuffer buf) throws IOException {
    if (buf.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    int count = readable(pos, buf.remaining());
    if (count <= 0) {
      return count;
    }
    int at = buf.position();
    int served = serve(TO_BUFFER, pos, buf, at, count);
    buf.position(at + served);
    return served;
  }

  private int readable(long pos, int wanted) {
    if (pos < 0) {
      throw new IllegalArgumentException("position " + pos + " in " + key());
    }
    if (wanted == 0) {
      return 0;
    }
    return pos >= block.length() ? -1 : (int) Math.min(wanted, block.length() - pos);
  }

  private <T> int serve(Reads<T> read, long pos, T target, int at, int count) throws IOException {
    if (closed) {
      throw new IOException("the reader of " + key() + " is closed");
    }
    BlockWay asked = way;
    while (true) {
      Throwable failure = null;
      try {
        int served = read.by(asked, pos, target, at, count);
        if (served > 0) {
          JobCounter.add(asked, served);
          return served;
        }
      } catch (FallbackException | IOException | RuntimeException | LinkageError e) {
        failure = e;
      } finally {
        if (closed || way != asked) {
          asked.close(); // it may have been closed before this read opened something
        }
      }
      asked = next(asked, failure);
    }
  }

  /**
   * The way that serves what one did not, and all later reads.
   *
   * @param failure null if nothing failed
   * @throws IOException what is the caller's: that there is no other way, that this accessor was
   *     closed, or that the thread was interrupted, whose later reads try the same way again
   */
  private synchronized BlockWay next(BlockWay from, @Nullable Throwable failure)
      throws IOException {
    if (failure != null) {
      passOn(failure);
    }
    if (way != from) {
      return way; // by another thread, which met the same
    }
    if (turn == ways.last()) {
      throw asItIs(failure);
    }
    if (failure != null) {
      count(failure);
    }
    BlockWay next = openNext();
    if (failure != null && turn < ways.last()) {
      ways.counters().toNextWay(FallbackLog.reasonOf(failure));
    }
    way = next;
    if (closed) {
      next.close(); // close() may have come before there was this way to close
    }
    from.close();
    return next;
  }

  private BlockWay openNext() throws IOException {
    int at = turn;
    BlockWay next = null;
    try {
      while (next == null) {
        at++;
        next = ways.open(at, block);
      }
    } catch (FallbackException | RuntimeException | LinkageError e) {
      passOn(e);
      count(e);
      at = ways.last();
      next = ways.stock(block);
    }
    turn = at;
    return next;
  }

  /** Throws what is the caller's and no other way's. */
  private void passOn(Throwable failure) throws IOException {
    FallbackReason reason = FallbackLog.reasonOf(failure);
    if (reason == FallbackReason.ACCESSOR_CLOSED && closed) {
      throw new IOException("the reader of " + key() + " was closed meanwhile", failure);
    }
    if (reason == FallbackReason.INTERRUPTED && Thread.currentThread().isInterrupted()) {
      // What DFSInputStream passes on, together with the flag, and blames no DataNode for.
      throw (IOException)
          new InterruptedIOException("interrupted while reading " + key()).initCause(failure);
    }
  }

  private void count(Throwable failure) {
    ways.counters().fallback(FallbackLog.reasonOf(failure));
    FallbackLog.SHARED.log(failure, block.request().fileName());
  }

  /** The last way's failure, for whoever called. */
  private IOException asItIs(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException) {
      throw (RuntimeException) failure;
    }
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    return failure instanceof IOException
        ? (IOException) failure
        : new IOException("stock HDFS read nothing of " + key(), failure);
  }

  private BlockKey key() {
    return block.request().block();
  }

  @Override
  public void close() {
    closed = true;
    way.close();
  }

  /** True while no DataNode carries the bytes; Hadoop counts short-circuit bytes as local too. */
  @Override
  public boolean isLocal() {
    return way.isByDevice();
  }

  @Override
  public boolean isShortCircuit() {
    return way.isByDevice();
  }

  @Override
  public int getNetworkDistance() {
    return way.networkDistance();
  }
}
