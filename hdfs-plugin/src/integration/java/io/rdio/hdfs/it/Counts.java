// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** What RDIO counted in this JVM since this was made, for clients in one of the two modes. */
public final class Counts {
  private final ReadMode mode;
  private final ClientCounters counters;
  private final Map<FallbackReason, Long> before = new EnumMap<>(FallbackReason.class);

  private final long stockBytesBefore;

  private Counts(ReadMode mode, ClientCounters counters) {
    this.mode = mode;
    this.counters = counters;
    this.stockBytesBefore = counters.stockBytes.sum();
    for (FallbackReason reason : FallbackReason.values()) {
      before.put(reason, counters.fallbacks(reason));
    }
  }

  /** Of clients that open devices themselves. */
  public static Counts now() {
    return of(ReadMode.DIRECT);
  }

  public static Counts of(ReadMode mode) {
    return new Counts(mode, RdioClientContext.counters());
  }

  /** Bytes that readers got by RDIO in this mode, since the JVM began. */
  public long rdioBytes() {
    long byAgent = counters.agentBytes.sum();
    return mode == ReadMode.BY_AGENT ? byAgent : counters.rdioBytes.sum() - byAgent;
  }

  /** How often this reason was counted since. */
  public long fallbacks(FallbackReason reason) {
    return counters.fallbacks(reason) - before.get(reason);
  }

  /** Reasons counted since, with their counts. */
  public Map<FallbackReason, Long> fallbacks() {
    Map<FallbackReason, Long> counted = new EnumMap<>(FallbackReason.class);
    for (FallbackReason reason : FallbackReason.values()) {
      if (fallbacks(reason) > 0) {
        counted.put(reason, fallbacks(reason));
      }
    }
    return counted;
  }

  public void assertNoFallback() {
    assertThat(fallbacks()).isEmpty();
    assertThat(counters.stockBytes.sum()).isEqualTo(stockBytesBefore);
  }

  /**
   * Returns when a new reader gets all of a file by RDIO; each try must give the file's bytes.
   *
   * @param patience how long back-offs, leases and recalls may take to be over
   */
  public static void awaitReadByRdio(FileSystem rdio, SeededFile file, Duration patience) {
    awaitRead(ReadMode.DIRECT, rdio, file, patience);
  }

  /** The same by clients in one of the two modes. */
  public static void awaitRead(ReadMode mode, FileSystem rdio, SeededFile file, Duration patience) {
    await()
        .atMost(patience)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(
            () -> {
              Counts counts = of(mode);
              long before = counts.rdioBytes();
              try (FSDataInputStream in = rdio.open(file.path())) {
                file.check(0, in.readAllBytes());
              }
              assertThat(counts.rdioBytes() - before)
                  .as("bytes by RDIO; fallbacks: " + counts.fallbacks())
                  .isEqualTo(file.bytes().length);
            });
  }
}
