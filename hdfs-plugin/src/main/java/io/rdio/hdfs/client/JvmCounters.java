// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.hdfs.client.way.FallbackLog;

/** What all clients of this JVM did, counted. Thread-safe. */
public final class JvmCounters {
  /** Of reads, whichever way they took. */
  public static final ClientCounters READS = new ClientCounters();

  /** Of what storage nodes were told that the block data caches evicted. */
  public static final EvictionCounters EVICTIONS = new EvictionCounters();

  private JvmCounters() {}

  /** Counts and logs that stock HDFS serves a read. */
  static void fallback(FallbackException refusal, String fileName) {
    READS.fallback(refusal.reason());
    FallbackLog.SHARED.log(refusal, fileName);
  }

  /** Counts and logs an accident. */
  static void internalError(Throwable error, String fileName) {
    READS.fallback(FallbackLog.reasonOf(error));
    FallbackLog.SHARED.log(error, fileName);
  }
}
