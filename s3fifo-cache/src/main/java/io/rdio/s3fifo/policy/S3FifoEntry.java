// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the policy keeps with every cached entry: a two-bit hit counter and the queue it is in. A
 * cache extends it with its key and value.
 *
 * <p>{@link #hit} may be called by any thread at any time. Everything else is guarded by whatever
 * guards the {@link S3FifoPolicy}.
 */
public abstract class S3FifoEntry {
  // Where an entry is. Bytes, not an enum: a reference would cost four bytes per entry.
  /** Not handed to the policy yet, or on its way from one queue to another. */
  static final byte NOWHERE = 0;

  static final byte SMALL = 1;
  static final byte MAIN = 2;

  /** Of weight 0: in no queue, since evicting it would make no room. */
  static final byte WEIGHTLESS = 3;

  /** Evicted or removed; never comes back. */
  static final byte RETIRED = 4;

  /** The largest count two bits hold. */
  static final int MAX_FREQUENCY = 3;

  /** Above every count, so that readers leave the counter of an evicted entry alone. */
  private static final byte EVICTED = MAX_FREQUENCY + 1;

  private static final VarHandle FREQUENCY;

  static {
    try {
      FREQUENCY = MethodHandles.lookup().findVarHandle(S3FifoEntry.class, "frequency", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Written through FREQUENCY only.
  @SuppressWarnings({"unused", "FieldMayBeFinal"})
  private byte frequency;

  private byte location;

  /** Creates an entry that was never hit and is in no queue. */
  protected S3FifoEntry() {}

  /**
   * Counts a hit. Writes nothing once the counter is saturated; of hits that collide, one is
   * counted. A hit counted before the policy decides on this entry is seen by that decision.
   */
  public final void hit() {
    byte seen = (byte) FREQUENCY.getOpaque(this);
    if (seen < MAX_FREQUENCY) {
      FREQUENCY.compareAndSet(this, seen, (byte) (seen + 1));
    }
  }

  /** Returns a 32-bit hash of the key, by which the ghost queue remembers the entry. */
  public abstract int fingerprint();

  /** Returns the weight that the entry has now; at least 0. */
  public int weight() {
    return 1;
  }

  /** Returns the weight last given to {@link #queuedWeight(int)}. */
  protected int queuedWeight() {
    return 1;
  }

  /**
   * Remembers the weight with which the entry is counted in its queue.
   *
   * @param weight at least 0; always 1 for a class that does not override {@link #weight}
   */
  protected void queuedWeight(int weight) {}

  final int frequency() {
    return (byte) FREQUENCY.getOpaque(this);
  }

  final byte location() {
    return location;
  }

  final void location(byte where) {
    location = where;
  }

  /** Takes one from the counter unless a hit has just changed it. */
  final void decrement(int seen) {
    FREQUENCY.compareAndSet(this, (byte) seen, (byte) (seen - 1));
  }

  final void resetFrequency() {
    FREQUENCY.setOpaque(this, (byte) 0);
  }

  /** Closes the counter for good if it still holds {@code seen}; else a hit came in between. */
  final boolean closeFrequency(int seen) {
    return FREQUENCY.compareAndSet(this, (byte) seen, EVICTED);
  }
}
