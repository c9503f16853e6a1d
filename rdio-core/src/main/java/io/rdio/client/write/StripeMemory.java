// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Memory for the stripes of all groups that are being written, and of those whose parity is not:
 * bounded. Half of it is for the first stripes of groups, and for those that stand in for what a
 * device does not give back, so that data which waits for its parity keeps nobody from writing.
 * What a device that does not answer may still read from is lent, too, until it has answered. The
 * CRCs of a group's parity count here as well, though they are on the heap: they outlive the write
 * of the data, and nobody else counts them. Thread-safe.
 */
public final class StripeMemory {
  private final long most;

  @GuardedBy("this")
  private final ArrayDeque<Stripe> idle = new ArrayDeque<>();

  /** Bytes that are lent, those of CRCs among them. */
  @GuardedBy("this")
  private long lent;

  /** Bytes in {@link #idle}. */
  @GuardedBy("this")
  private long idleBytes;

  /**
   * @param most bytes in all
   */
  public StripeMemory(long most) {
    this.most = most;
  }

  /**
   * Lends a group its first stripe, with which it can go on to its end, and room for the CRCs of
   * its parity.
   *
   * @param sums bytes of those CRCs, to be {@linkplain #giveSums given back} beside the stripe
   * @throws FallbackException AGENT_BUSY where there is no room, BUFFERS_EXHAUSTED where the
   *     machine has none
   */
  synchronized Stripe first(StripeLayout layout, long sums) throws FallbackException {
    long bytes = Stripe.bytesOf(layout);
    if (bytes + sums > most - lent) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY,
          lent + " of " + most + " bytes for stripes are taken, and it wants " + (bytes + sums));
    }
    lent += sums;
    boolean isLent = false;
    try {
      Stripe stripe = lendOrRefuse(layout, bytes);
      isLent = true;
      return stripe;
    } finally {
      if (!isLent) {
        giveSums(sums);
      }
    }
  }

  /** Takes the room for a group's CRCs back. */
  synchronized void giveSums(long sums) {
    lent -= sums;
    freeIfUnused();
  }

  /**
   * Lends a group another stripe in place of one that a device may still read from, which is given
   * back when the device has answered.
   *
   * @throws FallbackException DEVICE_TIMEOUT where there is no room, BUFFERS_EXHAUSTED where the
   *     machine has none
   */
  synchronized Stripe instead(StripeLayout layout) throws FallbackException {
    long bytes = Stripe.bytesOf(layout);
    if (bytes > most - lent) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          "a device that does not answer keeps the group's stripe, and there is no room for another"
              + " one: "
              + lent
              + " of "
              + most
              + " bytes ("
              + Setting.WRITE_PARITY_MEMORY
              + ") are taken, and it wants "
              + bytes);
    }
    return lendOrRefuse(layout, bytes);
  }

  @GuardedBy("this")
  private Stripe lendOrRefuse(StripeLayout layout, long bytes) throws FallbackException {
    Stripe stripe = lend(layout, bytes);
    if (stripe == null) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED, "no " + bytes + " bytes for a stripe are to be had");
    }
    return stripe;
  }

  /** Lends one more; null where there is none. */
  synchronized @Nullable Stripe further(StripeLayout layout) {
    long bytes = Stripe.bytesOf(layout);
    return bytes > most / 2 - lent ? null : lend(layout, bytes);
  }

  @GuardedBy("this")
  private @Nullable Stripe lend(StripeLayout layout, long bytes) {
    Stripe stripe = kept(layout);
    while (idleBytes > most - lent - bytes) { // also behind one that was kept: for CRCs
      forget(idle.removeFirst());
    }
    if (stripe == null) {
      stripe = Stripe.map(layout);
    }
    lent += stripe == null ? 0 : bytes;
    return stripe;
  }

  @GuardedBy("this")
  private @Nullable Stripe kept(StripeLayout layout) {
    for (Stripe stripe : idle) {
      if (stripe.layout().equals(layout)) {
        idle.remove(stripe);
        idleBytes -= Stripe.bytesOf(layout);
        return stripe;
      }
    }
    return null;
  }

  @GuardedBy("this")
  private void forget(Stripe stripe) {
    idleBytes -= Stripe.bytesOf(stripe.layout());
    stripe.unmap();
  }

  /** Takes one back that nobody uses; once nothing is lent all are given back to the machine. */
  synchronized void give(Stripe stripe) {
    long bytes = Stripe.bytesOf(stripe.layout());
    lent -= bytes;
    idle.add(stripe);
    idleBytes += bytes;
    freeIfUnused();
  }

  @GuardedBy("this")
  private void freeIfUnused() {
    while (lent == 0 && !idle.isEmpty()) {
      forget(idle.removeFirst());
    }
  }

  /** Bytes that are lent, those of CRCs among them. */
  public synchronized long lent() {
    return lent;
  }
}
