// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file by position as far as it can, by ways that it keeps from one read to the next. What
 * it does not read, for whatever reason, is left to Hadoop's own read, which has replicas, retries,
 * and words for what fails. Safe for any number of threads; a close may come at any time.
 */
final class PositionalReader {
  /**
   * Blocks of a file to which ways are kept: some 128 GiB of it. A way takes about 1 KiB of heap,
   * all of them 1 MiB where so much of a file is read here and there. With fewer, most random reads
   * of a larger file would open a way each.
   */
  static final int BLOCKS_MAX = 1024;

  private static final KeptBlock.Reads<byte[]> TO_ARRAY = BlockWay::read;
  private static final KeptBlock.Reads<ByteBuffer> TO_BUFFER = BlockWay::read;

  private final PositionalSource source;
  private final BlockLookup lookup;
  private final KeptBlocks blocks = new KeptBlocks(BLOCKS_MAX);
  private volatile boolean closed;

  PositionalReader(PositionalSource source, BlockLookup lookup) {
    this.source = source;
    this.lookup = lookup;
  }

  /**
   * Reads the first bytes of a range, all that is in the file if it can.
   *
   * @return bytes read; 0 also for arguments that Hadoop's own read is to judge
   */
  int read(long position, byte @Nullable [] target, int at, int count) {
    return target == null || (at | count | (target.length - at - count)) < 0
        ? 0
        : serve(TO_ARRAY, position, target, at, count);
  }

  /** The same to what remains of a buffer, whose position and limit stay as they are. */
  int read(long position, ByteBuffer target) {
    return target.isReadOnly()
        ? 0
        : serve(TO_BUFFER, position, target, target.position(), target.remaining());
  }

  private <T> int serve(KeptBlock.Reads<T> read, long position, T target, int at, int count) {
    if (closed || position < 0 || !source.isOpen()) {
      return 0;
    }
    int done = 0;
    int once = 0;
    int part = 1;
    while (part > 0 && done < count) {
      part = servePart(read, position + done, target, at + done, count - done);
      if (part == BlockWay.NOT_NOW) {
        part = serveOnce(read, position + done, target, at + done, count - done);
        once += part;
      }
      done += part;
    }
    if (done > once) {
      source.read(done - once);
    }
    return done;
  }

  private <T> int servePart(KeptBlock.Reads<T> read, long position, T target, int at, int count) {
    KeptBlock kept = blocks.find(position);
    KeptBlock block = kept == null ? open(position) : kept;
    if (block == null) {
      return 0;
    }
    int served = 0;
    try {
      served = block.read(read, position, target, at, count);
    } catch (FallbackException | IOException e) {
      served = 0; // Hadoop's own read opens the block anew, and counts why that cannot serve either
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
    } finally {
      if (served == 0) {
        blocks.remove(block);
      }
    }
    return served;
  }

  /** The same by a way for this part alone, if there is one. */
  private <T> int serveOnce(KeptBlock.Reads<T> read, long position, T target, int at, int count) {
    KeptBlock kept = blocks.find(position);
    KeptBlock once = kept == null ? null : kept.onlyOnce(position, count);
    if (once == null) {
      return 0;
    }
    try {
      long start = System.nanoTime();
      int served = once.read(read, position, target, at, count);
      source.read(served, once.way(), System.nanoTime() - start);
      return served;
    } catch (FallbackException | IOException e) {
      return 0; // Hadoop's own read meets it again, and counts it
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
      return 0;
    } finally {
      once.close();
    }
  }

  private @Nullable KeptBlock open(long position) {
    try {
      LocatedBlock located = source.mayRead() ? lookup.at(position) : null;
      if (located == null || located.isCorrupt() || located instanceof LocatedStripedBlock) {
        return null;
      }
      long start = located.getStartOffset();
      BlockWay way = source.open(located);
      KeptBlock block =
          way == null
              ? null
              : blocks.add(new KeptBlock(start, start + located.getBlockSize(), way));
      return block != null && block.holds(position) ? block : null;
    } catch (FallbackException | IOException e) {
      return null; // Hadoop's own read meets it again
    } catch (RuntimeException | LinkageError e) {
      source.failed(e);
      return null;
    }
  }

  /** Closes what is kept; later reads open it anew. */
  void release() {
    blocks.clear();
  }

  /** Closes what is kept, and reads no more. */
  void close() {
    closed = true;
    blocks.close();
  }
}
