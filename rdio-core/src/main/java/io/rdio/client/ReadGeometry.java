// SPDX-License-Identifier: Apache-2.0
package io.rdio.client;

import java.util.Arrays;

/**
 * The sizes that a read from a device goes by, in bytes unless said otherwise. They are here
 * because several classes must agree on each: which memory a window has, what a ring pins, how much
 * is read ahead, what the block data cache may keep as one chunk.
 */
public final class ReadGeometry {
  /**
   * Data bytes of a window where several are under way: small, so that CRCs and copies begin soon.
   * From this size on a ring pins its memory; what is smaller is a few pages in any case
   * (benchmarks/README.md has the figures).
   */
  public static final int WINDOW = 256 << 10;

  /**
   * The same in a run that has been granted {@link #LONG_RUN}: fewer and larger requests, and the
   * CRCs of each come in one. It is the same on every device, unlike how many there are: smaller
   * ones gain nothing on those seen so far, larger ones little (docs/performance.md, A stream).
   */
  public static final int LONG_WINDOW = 1 << 20;

  /** From where a run is long: enough large windows that one can be waited for. */
  public static final int LONG_RUN = 4 * LONG_WINDOW;

  /** How many windows' CRCs are read from the meta file with one request. */
  public static final int CRC_GROUP = 4;

  /**
   * Most windows of one reader under way. How many of them a run has is what its device needs
   * ({@link io.rdio.core.device.DeviceDepth}).
   */
  public static final int MAX_WINDOWS = 16;

  /** Data bytes of the smallest window; what is less is not worth reading ahead. */
  public static final int SMALLEST_WINDOW = 16 << 10;

  /** Data bytes of the largest window that can be configured. */
  public static final int LARGEST_WINDOW = 64 << 20;

  /** How much larger the windows of each size are than those of the size before. */
  public static final int WINDOW_STEP = 4;

  /** Largest alignment of a device that windows are made for. */
  public static final int ALIGNMENT = 4096;

  /** What is read ahead at first in a sequential run. */
  public static final int FIRST_AHEAD = 64 << 10;

  /** How many times as much each further read of a run reads ahead, up to what is configured. */
  public static final int GROWTH = 4;

  /**
   * How near its block's end a run begins the next block, and how much of that it asks for. A long
   * run does so {@link #LONG_RUN} before: else its device has next to nothing to do meanwhile.
   */
  public static final int NEXT_BLOCK = 1 << 20;

  /** Bytes of the smallest chunk of the block data cache. */
  public static final int SMALLEST_CHUNK = 4 << 10;

  /** Bytes of its largest chunk, which lies in one window. */
  public static final int LARGEST_CHUNK = WINDOW;

  private ReadGeometry() {}

  /**
   * Data bytes of the windows that readers use, of each size once, in ascending order.
   *
   * @param largest of them, rounded up to a power of two from {@link #SMALLEST_WINDOW} to {@link
   *     #LARGEST_WINDOW}
   */
  public static int[] windowSizes(int largest) {
    int atLeast = Math.max(SMALLEST_WINDOW, Math.min(largest, LARGEST_WINDOW));
    int last = Integer.highestOneBit(2 * atLeast - 1);
    int[] sizes = new int[Integer.SIZE];
    int count = 0;
    for (int size = SMALLEST_WINDOW; size < last; size *= WINDOW_STEP) {
      sizes[count++] = size;
    }
    sizes[count++] = last;
    return Arrays.copyOf(sizes, count);
  }
}
