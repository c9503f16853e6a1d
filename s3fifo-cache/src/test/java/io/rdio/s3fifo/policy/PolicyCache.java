// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.util.HashMap;
import java.util.Map;

/** The policy under test, with the least around it that makes it a cache. */
final class PolicyCache implements SimulatedCache {
  private final Map<Integer, Entry> resident = new HashMap<>();
  private final S3FifoPolicy<Entry> policy;

  PolicyCache(long maximum) {
    this(maximum, S3FifoOptions.PAPER);
  }

  PolicyCache(long maximum, S3FifoOptions options) {
    policy =
        new S3FifoPolicy<>(
            maximum, false, options, entry -> resident.remove(entry.object) == entry);
  }

  @Override
  public boolean request(int object) {
    Entry entry = resident.get(object);
    if (entry != null) {
      entry.hit();
      return true;
    }
    entry = new Entry(object);
    resident.put(object, entry);
    policy.insert(entry);
    return false;
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
