// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An image that may be written to and is whole again at once, however large it is. Zeros take no
 * room. It is as strict as a device is.
 */
final class SparseImage implements BlockDevice {
  static final int PAGE = 4096;

  private static final int ALIGNMENT = 512;
  private static final byte[] ZEROS = new byte[PAGE];

  private final byte[][] pages;
  private final int size;

  /** What pages that were written to were before. */
  private final Map<Integer, byte[]> whole = new HashMap<>();

  private SparseImage(byte[][] pages, int size) {
    this.pages = pages;
    this.size = size;
  }

  /** As much as there is to be read. */
  static SparseImage read(InputStream in) throws IOException {
    List<byte[]> pages = new ArrayList<>();
    byte[] page = new byte[PAGE];
    int size = 0;
    for (int n = in.readNBytes(page, 0, PAGE); n > 0; n = in.readNBytes(page, 0, PAGE)) {
      Arrays.fill(page, n, PAGE, (byte) 0);
      pages.add(Arrays.equals(page, ZEROS) ? ZEROS : page.clone());
      size = Math.addExact(size, n);
    }
    return new SparseImage(pages.toArray(byte[][]::new), size);
  }

  int size() {
    return size;
  }

  /** Fills a buffer with what is there now. */
  void get(int at, ByteBuffer target) {
    int from = at;
    while (target.hasRemaining()) {
      int inPage = from % PAGE;
      int length = Math.min(target.remaining(), PAGE - inPage);
      target.put(pages[from / PAGE], inPage, length);
      from += length;
    }
  }

  /**
   * Bytes to be written to, big-endian from index 0 on.
   *
   * @param length so many that they are all within one of the pages of {@link #PAGE} bytes
   */
  ByteBuffer change(int at, int length) {
    int number = at / PAGE;
    if (!whole.containsKey(number)) {
      whole.put(number, pages[number]);
      pages[number] = pages[number].clone();
    }
    return ByteBuffer.wrap(pages[number], at % PAGE, length).slice();
  }

  /** Whether all bytes are what they were when it was read. */
  boolean isWhole() {
    return whole.entrySet().stream()
        .allMatch(page -> Arrays.equals(page.getValue(), pages[page.getKey()]));
  }

  /** Undoes all changes. */
  void restore() {
    whole.forEach((number, page) -> pages[number] = page);
    whole.clear();
  }

  @Override
  public String name() {
    return "image";
  }

  @Override
  public int alignment() {
    return ALIGNMENT;
  }

  @Override
  public long sizeBytes() {
    return size & -ALIGNMENT;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    int length = target.remaining();
    if (!target.isDirect()
        || (offset | length) % ALIGNMENT != 0
        || target.alignmentOffset(target.position(), ALIGNMENT) != 0) {
      throw new AssertionError("unaligned read at " + offset + " to " + target);
    }
    if (offset < 0 || offset > sizeBytes() - length) {
      throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "read beyond the image");
    }
    get((int) offset, target);
  }
}
