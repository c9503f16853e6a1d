// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A file in memory, which can be altered and can fail. As racy as a file. */
public final class MemoryFlashFile implements FlashFile {
  private final byte[] bytes;
  private volatile @Nullable IOException readFailure;
  private volatile @Nullable IOException writeFailure;
  private volatile Runnable beforeRead = () -> {};
  private volatile Runnable beforeWrite = () -> {};
  private volatile boolean closed;

  public MemoryFlashFile(long size) {
    bytes = new byte[(int) size];
  }

  /** Has reads, or writes, fail from now on. */
  public void fail(@Nullable IOException ofReads, @Nullable IOException ofWrites) {
    readFailure = ofReads;
    writeFailure = ofWrites;
  }

  /** Runs something before the next read, once. */
  public void beforeNextRead(Runnable what) {
    beforeRead = what;
  }

  /** Runs something before the next write, once. */
  public void beforeNextWrite(Runnable what) {
    beforeWrite = what;
  }

  /** Its content, which may be altered. */
  public byte[] bytes() {
    return bytes;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public long sizeBytes() {
    return bytes.length;
  }

  @Override
  public void read(long offset, ByteBuffer to) throws IOException {
    checkAligned(offset, to);
    Runnable before = beforeRead;
    beforeRead = () -> {};
    before.run();
    if (readFailure != null) {
      throw readFailure;
    }
    to.put(bytes, (int) offset, to.remaining());
  }

  @Override
  public void write(long offset, ByteBuffer from) throws IOException {
    checkAligned(offset, from);
    Runnable before = beforeWrite;
    beforeWrite = () -> {};
    before.run();
    if (writeFailure != null) {
      throw writeFailure;
    }
    from.get(bytes, (int) offset, from.remaining());
  }

  private static void checkAligned(long offset, ByteBuffer buffer) throws IOException {
    if (!buffer.isDirect()
        || offset % PAGE != 0
        || buffer.remaining() % PAGE != 0
        || buffer.alignmentOffset(buffer.position(), PAGE) != 0) {
      throw new IOException("not aligned: " + offset + ", " + buffer);
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
