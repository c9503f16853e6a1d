// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import io.rdio.s3fifo.policy.S3FifoEntry;
import io.rdio.s3fifo.policy.S3FifoOptions;
import io.rdio.s3fifo.policy.S3FifoPolicy;
import org.jspecify.annotations.Nullable;

/** S3-FIFO, S3-FIFO-D and S3-FIFO-W: the policy that the cache library runs. */
final class S3FifoSimulation implements Policy {
  private final @Nullable Entry[] resident;
  private final S3FifoPolicy<Entry> policy;

  S3FifoSimulation(int capacity, Trace trace, S3FifoOptions options) {
    resident = new @Nullable Entry[trace.objects()];
    policy = new S3FifoPolicy<>(capacity, false, options, this::evict);
  }

  @Override
  public boolean request(int object) {
    Entry entry = resident[object];
    if (entry != null) {
      entry.hit();
      return true;
    }
    entry = new Entry(object);
    resident[object] = entry;
    policy.insert(entry);
    return false;
  }

  private boolean evict(Entry entry) {
    resident[entry.object] = null;
    return true;
  }

  private static final class Entry extends S3FifoEntry {
    private final int object;

    Entry(int object) {
      this.object = object;
    }

    @Override
    public int fingerprint() {
      return object;
    }
  }
}
