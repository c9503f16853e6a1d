// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Ranges of a block that a DataNode is to read, each by itself, on several threads. Whoever chose
 * the DataNode is told how that went once all of them are over. Thread-safe once all are added.
 */
final class ApartRanges {
  private final RangeSource source;
  private final LocatedBlock block;
  private final RangeReads chooser;
  private final Laps laps;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicLong wanted = new AtomicLong();
  private final AtomicLong read = new AtomicLong();
  private volatile boolean failed;

  /**
   * @param chooser who is told, and closed then
   * @param laps of all sets that a DataNode reads for one call
   */
  ApartRanges(RangeSource source, LocatedBlock block, RangeReads chooser, Laps laps) {
    this.source = source;
    this.block = block;
    this.chooser = chooser;
    this.laps = laps;
  }

  /** One more, of so many bytes; {@link #over} must follow, or {@link #abandon} for all. */
  void add(int count) {
    left.incrementAndGet();
    wanted.addAndGet(count);
  }

  boolean isEmpty() {
    return wanted.get() == 0;
  }

  /**
   * Reads one of them.
   *
   * @param to has room for its bytes, behind which its position is where they are there
   * @return whether they are; if not, an ordinary read has other ways, and words for what fails
   */
  boolean read(FileRange range, ByteBuffer to) {
    laps.begin();
    int count = range.getLength();
    try {
      source.readByDataNode(block, range.getOffset() - block.getStartOffset(), to, count);
      to.position(to.position() + count);
      read.addAndGet(count);
      return true;
    } catch (FallbackException e) {
      return false; // nobody could ask the DataNode: that says nothing of it
    } catch (IOException e) {
      if (!Thread.currentThread().isInterrupted()) { // nor does what is the caller's alone
        failed = true;
      }
    } catch (RuntimeException | LinkageError e) {
      failed = true;
      source.failed(e);
    }
    return false;
  }

  /** One of them is over, whoever read it, if anybody. */
  void over() {
    if (left.decrementAndGet() > 0) {
      return;
    }
    long nanos = laps.next();
    if (failed) {
      chooser.dataNodeFailed(nanos);
    } else if (read.get() == wanted.get()) {
      chooser.took(read.get(), nanos);
    }
    chooser.close();
  }

  /** None of them will be read. */
  void abandon() {
    chooser.close();
  }
}
