// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.write.SlotStamp;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Reads a block that an agent says it wrote, from the device, and compares it with the CRCs (W7).
 * An agent that wrote to a copy of the device fails here: where the slot was stamped, it still is.
 * For one thread.
 */
final class ReadBack implements AutoCloseable {
  /** Chunks by chance. */
  static final int SAMPLES = 16;

  private static final int WINDOW = 1 << 20;

  private final Path file;
  private final FileChannel channel;
  private final long length;
  private final ChecksumSpec spec;
  private final ByteBuffer crcs;
  private final int unit;

  /** What was read last, as far as it was not looked at. */
  private ByteBuffer window;

  /**
   * @param length of the file
   * @param crcs of all its chunks, in order
   */
  ReadBack(SlotFiles files, Path file, long length, ChecksumSpec spec, byte[] crcs, int unit)
      throws IOException {
    this.file = file;
    this.length = length;
    this.spec = spec;
    this.crcs = ByteBuffer.wrap(crcs);
    this.unit = unit;
    this.window = SlotStamps.aligned(sampleBytes(spec, unit), unit);
    this.channel = files.open(file, StandardOpenOption.READ);
  }

  /**
   * Bytes that one look of {@link #sample} is at, at most, in whole units: a unit with the chunks
   * that it begins and ends in. Memory of the whole window would cost more than the looks.
   */
  private static int sampleBytes(ChecksumSpec spec, int unit) {
    long bytes = 2L * spec.bytesPerChecksum() + 3L * unit;
    return (int) Math.min(WINDOW, bytes / unit * unit);
  }

  private long chunksIn(long bytes) {
    return (bytes + spec.bytesPerChecksum() - 1) / spec.bytesPerChecksum();
  }

  /** All of it. */
  void all() throws IOException, FallbackException {
    window = SlotStamps.aligned(WINDOW, unit);
    chunks(0, chunksIn(length));
  }

  /** First and last unit of each extent, as far as the file has them, and chunks by chance. */
  void sample(ExtentList extents, LongSupplier random) throws IOException, FallbackException {
    for (int i = 0; i < extents.count() && extents.start(i) < length; i++) {
      unitAt(extents.start(i));
      unitAt((Math.min(extents.end(i), length) - 1) / unit * unit);
    }
    long chunks = chunksIn(length);
    for (int i = 0; i < SAMPLES; i++) {
      long chunk = Long.remainderUnsigned(random.getAsLong(), chunks);
      chunks(chunk, chunk + 1);
    }
  }

  private void unitAt(long offset) throws IOException, FallbackException {
    chunks(offset / spec.bytesPerChecksum(), chunksIn(Math.min(offset + unit, length)));
  }

  /** Chunks {@code [from, to)}. */
  private void chunks(long from, long to) throws IOException, FallbackException {
    long at = from * spec.bytesPerChecksum();
    long end = Math.min(length, to * spec.bytesPerChecksum());
    Checksum crc = newCrc();
    long chunk = from;
    while (at < end) {
      read(at, end);
      while (window.hasRemaining()) {
        long chunkEnd = Math.min(length, (chunk + 1) * spec.bytesPerChecksum());
        int count = (int) Math.min(window.remaining(), chunkEnd - at);
        crc.update(window.slice(window.position(), count));
        window.position(window.position() + count);
        at += count;
        if (at == chunkEnd) {
          compare(chunk, crc);
          crc.reset();
          chunk++;
        }
      }
    }
  }

  /** Has the window begin with the byte at an offset; it ends before another one, or earlier. */
  private void read(long from, long before) throws IOException {
    long start = from / unit * unit;
    window.clear();
    window.limit((int) Math.min(window.capacity(), (before - start + unit - 1) / unit * unit));
    int count = channel.read(window, start);
    if (start + count <= from) {
      throw new EOFException(file + " ends before " + from + ", not at " + length);
    }
    window.limit((int) Math.min(count, before - start)).position((int) (from - start));
  }

  private void compare(long chunk, Checksum crc) throws IOException, FallbackException {
    if ((int) crc.getValue() != crcs.getInt((int) (chunk * ChecksumSpec.CRC_BYTES))) {
      long at = chunk * spec.bytesPerChecksum();
      throw new FallbackException(
          FallbackReason.CHECKSUM_MISMATCH,
          "chunk "
              + chunk
              + " at "
              + at
              + " of "
              + file
              + (isStamped(at) ? ": the slot's stamp is there, its writer wrote elsewhere" : ""));
    }
  }

  private boolean isStamped(long offset) throws IOException {
    ByteBuffer first = SlotStamps.aligned(unit, unit);
    channel.read(first, offset / unit * unit);
    return SlotStamp.decode(first.flip()).isPresent();
  }

  private Checksum newCrc() {
    return spec.type() == ChecksumSpec.Type.CRC32C ? new CRC32C() : new CRC32();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
