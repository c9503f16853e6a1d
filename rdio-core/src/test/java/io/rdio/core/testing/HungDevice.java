// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A device whose reads hang for as long as a test likes; as in the kernel no interrupt ends them.
 * They may also be given up, as whoever reads in another thread's stead does.
 */
public final class HungDevice extends ForwardingDevice {
  private final MemoryDevice device;

  // All that follows is guarded by this.
  private final List<Thread> threads = new ArrayList<>();
  private boolean hanging;
  private boolean givenUp;
  private int waiting;

  public HungDevice(MemoryDevice device) {
    super(device);
    this.device = device;
  }

  /** No read comes to an end from now on. */
  public synchronized void hang() {
    hanging = true;
  }

  /** What hangs is refused, and all that comes later, at once: it owes an answer. */
  public synchronized void giveUp() {
    givenUp = true;
    notifyAll();
  }

  /** Answers all that hangs, and whatever comes. */
  public synchronized void answer() {
    hanging = false;
    givenUp = false;
    notifyAll();
  }

  /** Reads that hang. */
  public synchronized int waiting() {
    return waiting;
  }

  /** Those that hung in it, now or before. */
  public synchronized List<Thread> threads() {
    return List.copyOf(threads);
  }

  /** Reads that came to the medium. */
  public int reads() {
    return device.reads();
  }

  /**
   * Hangs if it does.
   *
   * @throws FallbackException DEVICE_TIMEOUT if it was given up
   */
  public synchronized void requireReleased() throws FallbackException {
    boolean interrupted = false;
    if (hanging) {
      threads.add(Thread.currentThread());
    }
    waiting++;
    while (hanging && !givenUp) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    waiting--;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (givenUp) {
      throw new FallbackException(FallbackReason.DEVICE_TIMEOUT, name() + " hangs");
    }
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    requireReleased();
    super.read(offset, target);
  }
}
