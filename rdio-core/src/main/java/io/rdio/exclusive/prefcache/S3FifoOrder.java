// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.s3fifo.policy.S3FifoEntry;
import io.rdio.s3fifo.policy.S3FifoOptions;
import io.rdio.s3fifo.policy.S3FifoPolicy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * S3-FIFO by the policy of our cache library, segments weighing their blocks. A hit is a read of a
 * segment that stays. Not thread-safe.
 */
final class S3FifoOrder implements SegmentOrder {
  private final SegmentTable table;
  private final S3FifoPolicy<Entry> policy;
  private @Nullable Entry[] entries = new @Nullable Entry[0];

  /**
   * @param capacity blocks, at least those of one segment
   */
  S3FifoOrder(SegmentTable table, long capacity, Evictor evictor) {
    this.table = table;
    this.policy =
        new S3FifoPolicy<>(
            capacity,
            true,
            S3FifoOptions.PAPER,
            entry -> {
              entries[entry.slot] = null;
              evictor.evict(entry.slot);
              return true;
            });
  }

  @Override
  public void grown(int slot) {
    if (entries.length < table.slots()) {
      entries = Arrays.copyOf(entries, table.slots());
    }
    Entry entry = entries[slot];
    if (entry == null) {
      entry = new Entry(slot, SegmentTable.hash(table.key(slot)));
      entries[slot] = entry;
    }
    entry.weight = (byte) table.weight(slot);
    policy.update(entry);
  }

  @Override
  public void shrunk(int slot) {
    grown(slot);
  }

  @Override
  public void hit(int slot) {
    Entry entry = entries[slot];
    if (entry != null) {
      entry.hit();
    }
  }

  @Override
  public void remove(int slot) {
    Entry entry = entries[slot];
    if (entry != null) {
      policy.remove(entry);
      entries[slot] = null;
    }
  }

  private static final class Entry extends S3FifoEntry {
    private final int slot;
    private final int fingerprint;
    // At most 64.
    private byte weight;
    private byte queuedWeight;

    Entry(int slot, int fingerprint) {
      this.slot = slot;
      this.fingerprint = fingerprint;
    }

    @Override
    public int fingerprint() {
      return fingerprint;
    }

    @Override
    public int weight() {
      return weight;
    }

    @Override
    protected int queuedWeight() {
      return queuedWeight;
    }

    @Override
    protected void queuedWeight(int queued) {
      queuedWeight = (byte) queued;
    }
  }
}
