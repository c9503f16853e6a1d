// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceBacklog;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A device in memory, as strict about alignment as O_DIRECT. */
public final class MemoryDevice implements BlockDevice {
  private final byte[] image;
  private final int alignment;
  private final AtomicInteger reads = new AtomicInteger();
  private final DeviceBacklog backlog = new DeviceBacklog();
  private volatile boolean answers = true;

  public MemoryDevice(byte[] image, int alignment) {
    this.image = image;
    this.alignment = alignment;
  }

  /** Read calls so far. */
  public int reads() {
    return reads.get();
  }

  /** Whether it answers; if not, it is not to be read at all. */
  public void answers(boolean now) {
    answers = now;
  }

  @Override
  public void requireAnswering() throws FallbackException {
    if (!answers) {
      throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, "memory does not answer");
    }
  }

  /** What tests put there: its own reads take no time. */
  @Override
  public DeviceBacklog backlog() {
    return backlog;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public int alignment() {
    return alignment;
  }

  @Override
  public long sizeBytes() {
    return image.length;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    reads.incrementAndGet();
    if (!target.isDirect()
        || target.remaining() == 0
        || target.remaining() % alignment != 0
        || offset % alignment != 0
        || target.alignmentOffset(target.position(), alignment) != 0) {
      throw new AssertionError("unaligned read at " + offset + " to " + target);
    }
    if (offset < 0 || offset > image.length - target.remaining()) {
      throw new AssertionError("read beyond the device at " + offset + " to " + target);
    }
    target.put(image, (int) offset, target.remaining());
  }
}
