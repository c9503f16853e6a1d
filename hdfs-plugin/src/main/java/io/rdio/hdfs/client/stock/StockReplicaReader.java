// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.hdfs.security.token.block.InvalidBlockTokenException;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a block from its DataNodes as stock HDFS does, inside an accessor that can no longer read
 * it from the device. It tries all replicas before it fails, and once more with fresh locations:
 * DFSInputStream holds one DataNode responsible for what an accessor throws, any one.
 *
 * <p>Sequential reads go on with one connection, also past a few bytes that are not wanted. Safe
 * for any number of threads, one at a time; a close does not wait for a read under way, which then
 * fails or completes and cleans up itself.
 */
public final class StockReplicaReader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StockReplicaReader.class);

  /** Bytes that come sooner, to be thrown away, than another connection does. */
  static final int SKIPPED_MOST = 256 << 10;

  /** Opens stock readers; a seam, because only a cluster has DataNodes. */
  public interface Opener {
    /**
     * A reader of {@code length} bytes of the block from {@code offset} on.
     *
     * @param replica index into the block's locations
     */
    BlockReader open(LocatedBlock block, int replica, long offset, long length) throws IOException;

    /** Forgets the data encryption key, which a DataNode refused. */
    void forgetEncryptionKey() throws IOException;
  }

  private final StockBlockSource source;
  private final Opener opener;
  private final BlockRequest request;
  private final long length;
  private final IntUnaryOperator beginsBy;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean closed;
  private volatile int networkDistance = Integer.MAX_VALUE;

  // Where we are in the list of replicas, and the open reader.
  @GuardedBy("lock")
  private @Nullable LocatedBlock located;

  @GuardedBy("lock")
  private int replica;

  /** Replicas of this list that were tried before that one. */
  @GuardedBy("lock")
  private int tried;

  @GuardedBy("lock")
  private boolean refreshed;

  @GuardedBy("lock")
  private @Nullable BlockReader reader;

  @GuardedBy("lock")
  private long readerOffset;

  @GuardedBy("lock")
  private final Set<DatanodeInfo> corrupt = new LinkedHashSet<>();

  /**
   * @param length where the block's reader stops, in bytes from the block's start
   */
  public StockReplicaReader(StockBlock block, long length) {
    this(block, length, replicas -> 0);
  }

  /**
   * @param beginsBy of so many replicas, in HDFS's order, the one to begin by; those behind it
   *     follow, and then those before it
   */
  public StockReplicaReader(StockBlock block, long length, IntUnaryOperator beginsBy) {
    this.source = block.source();
    this.opener = block.opener();
    this.request = block.request();
    this.length = length;
    this.beginsBy = beginsBy;
  }

  /**
   * Fills a buffer from its position to its limit.
   *
   * <p>Replicas whose DataNode sent bytes that do not match their checksums are reported here.
   *
   * @param offset in the block; with the buffer's remaining bytes within the length
   * @throws ChecksumException where all of several replicas are corrupt, and so the one that
   *     DFSInputStream has in hand is: it then counts them all, and reports none. For a plain
   *     failure it would leave that one out, and report the others
   * @throws IOException when no replica could be read; no ChecksumException otherwise, for the
   *     DataNode that DFSInputStream would report for it is not the one that was read here
   */
  public void readFully(long offset, ByteBuffer target) throws IOException {
    lock.lock();
    try {
      int begin = target.position();
      refreshed = false;
      corrupt.clear();
      @Nullable IOException last = null;
      while (target.hasRemaining()) {
        long next = offset + target.position() - begin;
        try {
          fill(next, target);
        } catch (IOException e) {
          closeReader();
          noteIfCorrupt(e);
          last = keep(last, e);
          nextReplica(e, last);
        }
      }
    } finally {
      try {
        reportCorrupt();
        if (closed) {
          closeReader();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** As Hadoop counts it, to the DataNode last read from. */
  public int networkDistance() {
    return networkDistance;
  }

  @Override
  public void close() {
    closed = true;
    if (lock.tryLock()) {
      try {
        closeReader();
      } finally {
        lock.unlock();
      }
    }
  }

  @GuardedBy("lock")
  private void fill(long offset, ByteBuffer target) throws IOException {
    if (closed) {
      throw new IOException("the reader of " + request.block() + " is closed");
    }
    BlockReader current = reader;
    if (current == null || !isSkippedTo(current, offset)) {
      closeReader();
      current = open(offset);
    }
    while (target.hasRemaining()) {
      int count = current.read(target);
      if (count <= 0) {
        throw new IOException(
            "the DataNode ended "
                + request.block()
                + " at "
                + readerOffset
                + ", bytes up to "
                + (readerOffset + target.remaining())
                + " are wanted");
      }
      readerOffset += count;
    }
    if (readerOffset == length) {
      closeReader();
    }
  }

  /** Whether the open reader is at an offset, or could be brought there. */
  @GuardedBy("lock")
  private boolean isSkippedTo(BlockReader open, long offset) throws IOException {
    long ahead = offset - readerOffset;
    if (ahead < 0 || ahead > SKIPPED_MOST) {
      return false;
    }
    if (ahead > 0) {
      readerOffset += open.skip(ahead); // fewer only where it has no more
    }
    return readerOffset == offset;
  }

  @GuardedBy("lock")
  private BlockReader open(long offset) throws IOException {
    LocatedBlock block = located;
    if (block == null) {
      block = source.locate(request, false);
      located = block;
      int replicas = block.getLocations().length;
      replica = replicas == 0 ? 0 : beginsBy.applyAsInt(replicas);
    }
    if (block.getLocations().length == 0) {
      throw new IOException("no DataNode is known to hold " + request.block());
    }
    BlockReader opened = opener.open(block, replica, offset, length - offset);
    reader = opened;
    readerOffset = offset;
    networkDistance = opened.getNetworkDistance();
    return opened;
  }

  @GuardedBy("lock")
  private void noteIfCorrupt(IOException failure) {
    LocatedBlock block = located;
    if (failure instanceof ChecksumException && block != null) {
      corrupt.add(block.getLocations()[replica]);
    }
  }

  /** As DFSInputStream does: if all of several replicas look bad, this host may be what is bad. */
  @GuardedBy("lock")
  private void reportCorrupt() {
    LocatedBlock block = located;
    if (block == null || corrupt.isEmpty()) {
      return;
    }
    int replicas = block.getLocations().length;
    if (replicas == 1 || corrupt.size() < replicas) {
      StockVerdict.report(source, block.getBlock(), corrupt.toArray(new DatanodeInfo[0]));
    }
    corrupt.clear();
  }

  /** Goes on to the next replica or to fresh locations; throws when both are used up. */
  @GuardedBy("lock")
  private void nextReplica(IOException failure, IOException last) throws IOException {
    if (closed || Thread.currentThread().isInterrupted()) {
      throw last;
    }
    if (failure instanceof InvalidEncryptionKeyException) {
      opener.forgetEncryptionKey();
    }
    tried++;
    int replicas = located == null ? 0 : located.getLocations().length;
    if (tried < replicas && !isCredentialFailure(failure)) {
      replica = (replica + 1) % replicas;
      LOG.debug("Reading {} from its next replica", request.block(), failure);
      return;
    }
    replica = 0;
    tried = 0;
    if (refreshed) {
      throw replicas > 1 && corrupt.size() == replicas ? allCorrupt(last) : last;
    }
    refreshed = true;
    try {
      located = source.locate(request, true);
    } catch (IOException e) {
      last.addSuppressed(e);
      throw last;
    }
  }

  /** Such a failure says nothing about the replica: fresh locations bring fresh credentials. */
  private static boolean isCredentialFailure(IOException failure) {
    return failure instanceof InvalidToken
        || failure instanceof InvalidBlockTokenException
        || failure instanceof InvalidEncryptionKeyException;
  }

  private static ChecksumException allCorrupt(IOException last) {
    ChecksumException all = new ChecksumException(last.getMessage(), 0);
    all.initCause(last);
    return all;
  }

  /** The failure to throw in the end: the last one, with those before it attached. */
  @GuardedBy("lock")
  private IOException keep(@Nullable IOException earlier, IOException failure) {
    IOException kept = failure;
    if (failure instanceof ChecksumException) {
      BlockKey block = request.block();
      kept =
          new IOException(
              "replica " + replica + " of " + block + " on its DataNode is corrupt: " + failure,
              failure);
    }
    if (earlier != null && earlier != kept) {
      kept.addSuppressed(earlier);
    }
    return kept;
  }

  @GuardedBy("lock")
  private void closeReader() {
    BlockReader open = reader;
    reader = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("Closing the stock reader of {}", request.block(), e);
      }
    }
  }
}
