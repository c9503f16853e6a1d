// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes of an image, which may be written to and are whole again at once, however many there
 * are. Zeros take no room.
 */
final class SparseImage {
  static final int PAGE = 4096;

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
}
