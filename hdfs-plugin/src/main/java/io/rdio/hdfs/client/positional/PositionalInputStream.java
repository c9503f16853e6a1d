// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HDFS whose reads by position are by RDIO at once where it has what that takes, and
 * Hadoop's own otherwise: that chooses a DataNode and makes a reader for each of them. What a
 * caller gets, or is told, is the same. Positional reads are thread-safe.
 */
public class PositionalInputStream extends HdfsDataInputStream {
  private final @Nullable PositionalReader reader;

  /**
   * @param source null to leave all reads to Hadoop
   */
  public PositionalInputStream(DFSInputStream blocks, @Nullable PositionalSource source) {
    super(blocks);
    StreamBlocks lookup = source == null ? null : StreamBlocks.of(blocks);
    this.reader = source == null || lookup == null ? null : new PositionalReader(source, lookup);
  }

  @Override
  public int read(long position, byte[] buffer, int offset, int length) throws IOException {
    int done = readKept(position, buffer, offset, length);
    return isAll(done, length)
        ? done
        : sum(done, super.read(position + done, buffer, offset + done, length - done));
  }

  @Override
  public void readFully(long position, byte[] buffer, int offset, int length) throws IOException {
    int done = readKept(position, buffer, offset, length);
    if (!isAll(done, length)) {
      super.readFully(position + done, buffer, offset + done, length - done);
    }
  }

  @Override
  public void readFully(long position, byte[] buffer) throws IOException {
    readFully(position, buffer, 0, buffer.length);
  }

  private int readKept(long position, byte[] buffer, int offset, int length) {
    PositionalReader by = reader;
    return by == null ? 0 : by.read(position, buffer, offset, length);
  }

  @Override
  public int read(long position, ByteBuffer buffer) throws IOException {
    int length = buffer.remaining();
    int done = readKept(position, buffer);
    return isAll(done, length) ? done : sum(done, super.read(position + done, buffer));
  }

  @Override
  public void readFully(long position, ByteBuffer buffer) throws IOException {
    int length = buffer.remaining();
    int done = readKept(position, buffer);
    if (!isAll(done, length)) {
      super.readFully(position + done, buffer);
    }
  }

  private int readKept(long position, ByteBuffer buffer) {
    PositionalReader by = reader;
    int done = by == null ? 0 : by.read(position, buffer);
    buffer.position(buffer.position() + done);
    return done;
  }

  /** Whether nothing is left for Hadoop, which also judges a read of nothing. */
  private static boolean isAll(int done, int length) {
    return done > 0 && done == length;
  }

  /**
   * @param more as Hadoop has it: negative at the end of the file
   */
  private static int sum(int done, int more) {
    return done == 0 ? more : done + Math.max(more, 0);
  }

  @Override
  public void unbuffer() {
    release();
    super.unbuffer();
  }

  @Override
  public void setReadahead(Long readahead) throws IOException {
    release();
    super.setReadahead(readahead);
  }

  @Override
  public void setDropBehind(Boolean dropBehind) throws IOException {
    release();
    super.setDropBehind(dropBehind);
  }

  private void release() {
    PositionalReader by = reader;
    if (by != null) {
      by.release();
    }
  }

  @Override
  public void close() throws IOException {
    PositionalReader by = reader;
    if (by != null) {
      by.close();
    }
    super.close();
  }
}
