// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.counters.ClientCounters;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.extent.ExtentCursor;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;

/**
 * Reads a byte range of a file from the device and lays it out contiguously in memory. Knows
 * alignment, and nothing of leases or checksums. For one thread at a time.
 */
final class ExtentGather {
  /**
   * How much larger than the range a buffer must be, in alignments: the first block's head, the
   * last one's tail, and for a run that starts off alignment the step up to an aligned place.
   */
  static final int SLACK_ALIGNMENTS = 4;

  private final ExtentCursor cursor = new ExtentCursor();
  private final ClientCounters counters;

  ExtentGather(ClientCounters counters) {
    this.counters = counters;
  }

  /**
   * Fills a buffer with {@code [offset, offset + length)} of a file.
   *
   * <p>Aligned runs land in their place. A run may start off alignment (file-system blocks of 1 KiB
   * on 4 KiB sectors): it is then read further up and moved down behind its predecessor.
   *
   * @param target direct and aligned, with {@link #SLACK_ALIGNMENTS} to spare; its position and
   *     limit are changed, and bytes around the range are overwritten
   * @return index in {@code target} of the range's first byte, less than the alignment
   */
  int read(BlockDevice device, ExtentList extents, long offset, int length, ByteBuffer target)
      throws FallbackException {
    int mask = device.alignment() - 1;
    int start = 0;
    int end = 0;
    boolean first = true;
    cursor.seek(extents, offset, length);
    while (cursor.next()) {
      int runLength = (int) cursor.length();
      int head = (int) (cursor.physical() & mask);
      int at = (end + mask) & ~mask;
      int aligned = (head + runLength + mask) & ~mask;
      readDevice(device, cursor.physical() - head, target, at, aligned);
      if (first) {
        first = false;
        start = head;
        end = head;
      } else if (at + head != end) {
        target.clear().put(end, target, at + head, runLength);
      }
      end += runLength;
    }
    return start;
  }

  /** Whether {@link #readInPlace} can read this range. */
  boolean aligned(BlockDevice device, ExtentList extents, long offset, int length) {
    cursor.seek(extents, offset, length);
    return cursor.remainingAligned(device.alignment());
  }

  /**
   * Fills {@code [at, at + length)} of a buffer, touching nothing else, with a range for which
   * {@link #aligned} said yes.
   *
   * @param target direct; the address of {@code at} is aligned. Its position and limit are changed.
   */
  void readInPlace(
      BlockDevice device, ExtentList extents, long offset, int length, ByteBuffer target, int at)
      throws FallbackException {
    int end = at;
    cursor.seek(extents, offset, length);
    while (cursor.next()) {
      int runLength = (int) cursor.length();
      readDevice(device, cursor.physical(), target, end, runLength);
      end += runLength;
    }
  }

  private void readDevice(BlockDevice device, long offset, ByteBuffer target, int at, int length)
      throws FallbackException {
    if (length > device.sizeBytes() - offset) {
      throw new FallbackException(
          FallbackReason.DEVICE_MISMATCH,
          "an extent reaches to "
              + (offset + length)
              + " on "
              + device.name()
              + ", which has only "
              + device.sizeBytes()
              + " bytes");
    }
    RdioClientFaultInjector faults = RdioClientFaultInjector.get();
    faults.beforeDeviceRead(device, offset, length);
    target.limit(at + length).position(at);
    long begun = System.nanoTime();
    device.read(offset, target);
    counters.deviceLatency.record(System.nanoTime() - begun);
    counters.deviceBytes.add(length);
    faults.afterDeviceRead(device, offset, target, at, length);
  }
}
