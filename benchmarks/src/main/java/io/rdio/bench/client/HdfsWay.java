// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.jspecify.annotations.Nullable;

/** By HDFS's client, with the configuration on the class path. */
final class HdfsWay implements ReadWay {
  /** As {@code FileSystem.create} has it, where nobody says anything. */
  private static final int WRITE_BUFFER_BYTES = 4096;

  private final FileSystem fileSystem;
  private final String buffers;
  private final LongAdder shortCircuitBytes = new LongAdder();

  /**
   * Connects to nothing yet.
   *
   * @param buffers what to read to: {@code heap}, {@code direct} or {@code aligned}
   */
  HdfsWay(String buffers) throws IOException {
    this.fileSystem = FileSystem.newInstance(new Configuration());
    this.buffers = buffers;
  }

  @Override
  public Stream stream(String file, int readBytes) throws IOException {
    return new HdfsStream(fileSystem.open(new Path(file)), buffer(readBytes));
  }

  @Override
  public RandomFile open(String file) throws IOException {
    FSDataInputStream in = fileSystem.open(new Path(file));
    return new HdfsFile(in, ((HdfsDataInputStream) in).getVisibleLength());
  }

  @Override
  public ParquetColumns columns(String file, List<Integer> columns, boolean vectored, int scans)
      throws IOException {
    ParquetColumns read = new ParquetColumns(fileSystem, file, columns, vectored);
    for (int scan = 0; scan < scans; scan++) {
      read.scan(this::close);
    }
    return read;
  }

  @Override
  public OutputStream create(String file, Output output) throws IOException {
    short replication = (short) output.replication();
    return fileSystem.create(
        new Path(file), true, WRITE_BUFFER_BYTES, replication, output.blockBytes());
  }

  @Override
  public void delete(String file) throws IOException {
    fileSystem.delete(new Path(file), false);
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return switch (buffers) {
      case "heap" -> ByteBuffer.allocate(bytes);
      case "direct" -> ByteBuffer.allocateDirect(bytes);
      case "aligned" -> DeviceWay.aligned(bytes);
      default -> throw new IllegalArgumentException("no kind of buffer: " + buffers);
    };
  }

  @Override
  public long takeShortCircuitBytes() {
    return shortCircuitBytes.sumThenReset();
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
  }

  private void close(FSDataInputStream in) throws IOException {
    shortCircuitBytes.add(
        ((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead());
    in.close();
  }

  private final class HdfsStream implements Stream {
    private final FSDataInputStream in;
    private final ByteBuffer buffer;

    HdfsStream(FSDataInputStream in, ByteBuffer buffer) {
      this.in = in;
      this.buffer = buffer;
    }

    @Override
    public @Nullable ByteBuffer next() throws IOException {
      buffer.clear();
      if (!buffer.hasArray()) {
        return in.read(buffer) < 0 ? null : buffer.flip();
      }
      int count = in.read(buffer.array(), buffer.arrayOffset(), buffer.capacity());
      return count < 0 ? null : buffer.limit(count);
    }

    @Override
    public void close() throws IOException {
      HdfsWay.this.close(in);
    }
  }

  private final class HdfsFile implements RandomFile {
    private final FSDataInputStream in;
    private final long length;

    HdfsFile(FSDataInputStream in, long length) {
      this.in = in;
      this.length = length;
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public void readFully(long position, ByteBuffer target) throws IOException {
      if (target.hasArray()) {
        in.readFully(position, target.array(), target.arrayOffset(), target.limit());
      } else {
        in.readFully(position, target);
      }
    }

    @Override
    public void close() throws IOException {
      HdfsWay.this.close(in);
    }
  }
}
