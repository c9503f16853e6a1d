// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.hdfs.client.positional.PositionalInputStream;
import io.rdio.hdfs.client.positional.PositionalSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HDFS with a {@code readVectored} of its own, of which Hadoop 3.3 and 3.4 know one
 * form only. Positional reads are thread-safe.
 */
public final class VectoredInputStream extends PositionalInputStream {
  private final VectoredReader reader;
  private final @Nullable RangeSource source;

  private volatile boolean closed;

  /** The file's blocks; empty until they are asked for, and after a read that left some over. */
  private volatile List<LocatedBlock> located = Collections.emptyList();

  /**
   * @param positions null to leave all reads by position to Hadoop
   * @param source null to read all ranges one by one
   */
  public VectoredInputStream(
      DFSInputStream blocks,
      @Nullable PositionalSource positions,
      VectoredReader reader,
      @Nullable RangeSource source) {
    super(blocks, positions);
    this.reader = reader;
    this.source = source;
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    readVectored(
        ranges, allocate, buffer -> {}); // who does not pool them leaves them to be collected
  }

  @Override
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    reader.read(this, ranges, allocate, release);
  }

  /**
   * Reads what can be had by RDIO all at once, and delivers it.
   *
   * @return the ranges that are left over; each is to be told that it is over
   */
  List<Leftover> readTogether(
      List<CombinedFileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release,
      Consumer<RangeTarget> delivered) {
    RangeSource by = source;
    if (by == null || closed || ranges.isEmpty() || !by.mayRead()) {
      return Leftover.ordinary(ranges);
    }
    List<LocatedBlock> blocks = located;
    try {
      if (blocks.isEmpty()) {
        blocks = getAllBlocks();
        located = blocks;
      }
    } catch (IOException e) {
      return Leftover.ordinary(ranges); // a read of each tells why
    }
    List<Leftover> left = new Submission(by, blocks).read(ranges, allocate, release, delivered);
    if (!left.stream().allMatch(Leftover::isApart)) {
      located = Collections.emptyList(); // perhaps their tokens are too old
    }
    return left;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    super.close();
  }

  /** Also that merged ranges share a buffer: whoever pools buffers must not take slices back. */
  @Override
  public boolean hasCapability(String capability) {
    return capability.equalsIgnoreCase(StreamCapabilities.VECTOREDIO)
        || capability.equalsIgnoreCase(StreamCapabilities.VECTOREDIO_BUFFERS_SLICED)
        || super.hasCapability(capability);
  }
}
