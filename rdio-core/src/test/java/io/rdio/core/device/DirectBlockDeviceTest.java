// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.INTERNAL_ERROR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.NativeLibrary;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bounds, alignment and views, on an image file. Real devices are read in the ITs. */
final class DirectBlockDeviceTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 8;

  @TempDir Path directory;
  private DirectBlockDevice device;

  @BeforeEach
  void open() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    byte[] content = new byte[BLOCKS * BLOCK];
    for (int i = 0; i < BLOCKS; i++) {
      Arrays.fill(content, i * BLOCK, (i + 1) * BLOCK, (byte) i);
    }
    device = DirectBlockDevice.open(Files.write(directory.resolve("image"), content), 512);
  }

  @Test
  void fillsTheBufferFromItsPosition() throws FallbackException {
    ByteBuffer buffer = buffer(3).position(BLOCK);

    device.read(5 * BLOCK, buffer);

    assertThat(buffer.position()).isEqualTo(3 * BLOCK);
    assertThat(new byte[] {buffer.get(BLOCK - 1), buffer.get(BLOCK), buffer.get(2 * BLOCK)})
        .containsExactly(0, 5, 6);
  }

  @Test
  void describesItself() {
    assertThat(device.sizeBytes()).isEqualTo(BLOCKS * BLOCK);
    assertThat(device.alignment()).isEqualTo(BLOCK);
    assertThat(device.name()).isEqualTo(directory.resolve("image").toString());
  }

  @Test
  void mapThatReachesBeyondTheDeviceIsRefused() {
    assertRefused(device, 8 * BLOCK, buffer(1), DEVICE_MISMATCH, "map reaches beyond the device");
    assertRefused(device, 7 * BLOCK, buffer(2), DEVICE_MISMATCH, "8192 bytes at 28672 of ");
    assertRefused(device, -BLOCK, buffer(1), DEVICE_MISMATCH, "which has 32768");
    assertRefused(
        device, Long.MAX_VALUE / BLOCK * BLOCK, buffer(1), DEVICE_MISMATCH, "map reaches beyond");
  }

  @Test
  void unalignedReadIsAFaultOfOurs() {
    assertRefused(device, 512, buffer(1), INTERNAL_ERROR, "is not aligned to 4096: offset 512");
    assertRefused(device, 0, buffer(1).limit(512), INTERNAL_ERROR, "not aligned");
    assertRefused(device, 0, buffer(2).position(512).limit(4608), INTERNAL_ERROR, "not aligned");
    assertRefused(device, 0, ByteBuffer.allocate(BLOCK), INTERNAL_ERROR, "direct false");
  }

  @Test
  void viewIsARangeOfItsOwn() throws FallbackException {
    DirectBlockDevice view = device.view(2 * BLOCK, 3 * BLOCK);
    ByteBuffer buffer = buffer(1);

    view.read(2 * BLOCK, buffer);

    assertThat(buffer.get(0)).isEqualTo((byte) 4);
    assertThat(view.sizeBytes()).isEqualTo(3 * BLOCK);
    assertRefused(view, 3 * BLOCK, buffer(1), DEVICE_MISMATCH, "map reaches beyond the device");
  }

  @Test
  void viewMustLieInsideAndBeAligned() {
    assertThat(viewRefusal(512, BLOCK)).contains("does not start at a multiple of 4096");
    assertThat(viewRefusal(BLOCK, BLOCKS * BLOCK)).contains("is not inside the 32768 bytes");
    assertThat(viewRefusal(BLOCK, Long.MAX_VALUE)).contains("is not inside");
    assertThat(viewRefusal(-BLOCK, BLOCK)).contains("is not inside");
  }

  @Test
  void alignmentIsThatOfTheDriverWhereItIsLarger() throws FallbackException {
    assertThat(DirectBlockDevice.open(directory.resolve("image"), 16384).alignment())
        .isEqualTo(16384);
    assertThat(DirectBlockDevice.open(directory.resolve("image"), 4).alignment()).isEqualTo(BLOCK);
  }

  @Test
  void missingNodeIsNotFound() {
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> DirectBlockDevice.open(Path.of("/nonexistent"), 512));

    assertThat(refusal.reason()).isEqualTo(DEVICE_NOT_FOUND);
    assertThat(refusal.detail())
        .isEqualTo("open of /nonexistent: ENOENT: no such file or device node");
  }

  @Test
  void readingAllocatesNothing() throws FallbackException {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    ByteBuffer buffer = buffer(2);
    readThousandTimes(buffer);

    long before = threads.getThreadAllocatedBytes(id);
    readThousandTimes(buffer);

    // Less than a byte for each: the two readings themselves may allocate.
    assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(1000);
  }

  private void readThousandTimes(ByteBuffer buffer) throws FallbackException {
    for (int i = 0; i < 1000; i++) {
      device.read(BLOCK, buffer.clear());
    }
  }

  private String viewRefusal(long start, long size) {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> device.view(start, size));
    assertThat(refusal.reason()).isEqualTo(DEVICE_MISMATCH);
    return refusal.detail();
  }

  private static void assertRefused(
      BlockDevice device, long offset, ByteBuffer buffer, FallbackReason reason, String words) {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> device.read(offset, buffer));
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.detail()).contains(words);
  }

  /** Aligned to the largest that a test asks for. */
  private static ByteBuffer buffer(int blocks) {
    return ByteBuffer.allocateDirect((blocks + 1) * BLOCK)
        .alignedSlice(BLOCK)
        .limit(blocks * BLOCK);
  }
}
