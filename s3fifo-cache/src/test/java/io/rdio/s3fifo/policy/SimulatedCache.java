// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.util.zip.CRC32;

/** A cache of object numbers, without values. */
@FunctionalInterface
public interface SimulatedCache {
  /** Looks an object up, admits it if it is not there, and returns whether it was. */
  boolean request(int object);

  /** What one run through a trace gives; the CRC is of a byte per request, 1 hit, 0 miss. */
  record Outcome(int misses, long crc) {}

  /** Runs through a trace. */
  static Outcome run(int[] trace, SimulatedCache cache) {
    byte[] hits = new byte[trace.length];
    int misses = 0;
    for (int i = 0; i < trace.length; i++) {
      if (cache.request(trace[i])) {
        hits[i] = 1;
      } else {
        misses++;
      }
    }
    CRC32 crc = new CRC32();
    crc.update(hits);
    return new Outcome(misses, crc.getValue());
  }
}
