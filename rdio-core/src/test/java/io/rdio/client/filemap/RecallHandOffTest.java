// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The whole FileMap cache in the races that {@code HandOffRaces} has its parts in. */
final class RecallHandOffTest {
  private static final int ROUNDS = 2_000;

  /** For the other thread. */
  private static final int MINUTES_MAX = 2;

  /**
   * A recall comes before, with or behind the answer that grants its lease. Whatever the order, the
   * map is not used afterwards, nothing is left of it, and the lease goes back.
   */
  @Test
  void recalledMapIsGoneWhateverCameFirst() throws Exception {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(LongStream.rangeClosed(0, ROUNDS).boxed().toList(), "a");
      fixture.get(0); // which opens the stream of recalls
      FakeDataNode dataNode = fixture.dataNode("a");
      Random random = new Random(1);
      for (int i = 1; i <= ROUNDS; i++) {
        long lease = dataNode.nextLeaseId();
        int delay = random.nextInt(20_000);
        CyclicBarrier together = new CyclicBarrier(2);
        CompletableFuture<Void> recall =
            CompletableFuture.runAsync(
                () -> {
                  await(together);
                  for (int spin = delay; spin > 0; spin--) {
                    Thread.onSpinWait();
                  }
                  dataNode.recall(lease);
                });
        await(together);
        FileMap map = getOrRecalled(fixture, i);
        recall.get(MINUTES_MAX, TimeUnit.MINUTES);
        fixture.advance(FileMapCacheFixture.IDLE);
        fixture.get(0);
        fixture.cache.tend();
        assertThat(dataNode.returned).contains(lease);
        if (map != null && Lease.of(map).id() == lease) {
          assertThat(fixture.isValid(map)).isFalse();
        } else if (map != null) {
          fixture.cache.reject(map, FallbackReason.LEASE_EXPIRED); // it asked again and got another
        }
        assertThat(fixture.cache.leasesHeld()).isEqualTo(1);
        assertThat(fixture.cache.size()).isEqualTo(1); // at once: later it would have run out
        dataNode.returned.clear();
      }
    }
  }

  private static FileMap getOrRecalled(FileMapCacheFixture fixture, long id) {
    try {
      return fixture.get(id);
    } catch (FallbackException e) {
      assertThat(e.reason()).isIn(FallbackReason.RECALL_PENDING, FallbackReason.LEASE_EXPIRED);
      return null;
    }
  }

  /** A reader rejects a map while others load and read it: no rejected lease is held on. */
  @Test
  void rejectedMapIsNotGivenOutAgain() throws Exception {
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      FakeDataNode dataNode = fixture.dataNode("a");
      for (int i = 0; i < ROUNDS; i++) {
        FileMap first = fixture.get(1);
        CyclicBarrier together = new CyclicBarrier(2);
        CompletableFuture<FileMap> other =
            CompletableFuture.supplyAsync(
                () -> {
                  await(together);
                  return getOrRecalled(fixture, 1);
                });
        await(together);
        fixture.cache.reject(first, FallbackReason.LEASE_EXPIRED);
        FileMap got = other.get(MINUTES_MAX, TimeUnit.MINUTES);
        FileMap now = fixture.get(1);
        assertThat(fixture.isValid(first)).isFalse();
        assertThat(fixture.isValid(now)).isTrue();
        assertThat(got).isIn(first, now);
        assertThat(fixture.cache.leasesHeld()).isEqualTo(1);
        if (i % 100 == 0) {
          fixture.cache.tend();
          dataNode.returned.clear();
          dataNode.grants.clear();
        }
      }
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(MINUTES_MAX, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
