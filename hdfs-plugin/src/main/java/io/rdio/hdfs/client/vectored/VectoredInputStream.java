// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/**
 * A stream of HDFS with a {@code readVectored} of its own, of which Hadoop 3.3 and 3.4 know one
 * form only. Positional reads are thread-safe.
 */
public final class VectoredInputStream extends HdfsDataInputStream {
  private final VectoredReader reader;

  public VectoredInputStream(DFSInputStream blocks, VectoredReader reader) {
    super(blocks);
    this.reader = reader;
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

  /** Also that merged ranges share a buffer: whoever pools buffers must not take slices back. */
  @Override
  public boolean hasCapability(String capability) {
    return capability.equalsIgnoreCase(StreamCapabilities.VECTOREDIO)
        || capability.equalsIgnoreCase(StreamCapabilities.VECTOREDIO_BUFFERS_SLICED)
        || super.hasCapability(capability);
  }
}
