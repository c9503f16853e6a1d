// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Loaders that are slow, fail, use the cache, or are overtaken. */
@Timeout(120)
class LoadTest {
  private final List<String> removed = new CopyOnWriteArrayList<>();
  private final Cache<Integer, String> cache =
      S3Fifo.newBuilder()
          .maximumSize(100)
          .removalListener(
              (Integer key, String value, RemovalCause cause) -> removed.add(value + " " + cause))
          .build();

  @Test
  void runsOncePerKeyHoweverManyThreadsMiss() throws Exception {
    AtomicInteger loads = new AtomicInteger();
    CyclicBarrier together = new CyclicBarrier(4);
    CountDownLatch goOn = new CountDownLatch(1);
    Supplier<String> miss =
        () -> {
          await(together);
          return cache.get(
              1,
              key -> {
                await(goOn);
                return "load " + loads.incrementAndGet();
              });
        };
    List<CompletableFuture<String>> results =
        List.of(inThread(miss), inThread(miss), inThread(miss));
    await(together);
    assertThat(cache.get(2, key -> "other")).isEqualTo("other");
    assertThat(cache.getIfPresent(1)).isNull();
    goOn.countDown();
    for (CompletableFuture<String> result : results) {
      assertThat(result.get()).isEqualTo("load 1");
    }
  }

  @Test
  void cachesNothingWhenTheLoaderThrowsOrReturnsNull() {
    assertThatThrownBy(
            () ->
                cache.get(
                    1,
                    key -> {
                      throw new IllegalArgumentException("no such page");
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no such page");
    assertThat(cache.get(1, key -> null)).isNull();
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.get(1, key -> "now")).isEqualTo("now");
  }

  @Test
  void waitersLoadThemselvesWhenTheLoadFails() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch fail = new CountDownLatch(1);
    CompletableFuture<String> first =
        inThread(
            () ->
                cache.get(
                    1,
                    key -> {
                      loading.countDown();
                      await(fail);
                      throw new IllegalStateException("first");
                    }));
    await(loading);
    Thread[] waiter = new Thread[1];
    CompletableFuture<String> second =
        inThread(
            () -> {
              waiter[0] = Thread.currentThread();
              return cache.get(1, key -> "second");
            });
    awaitBlocked(waiter);
    fail.countDown();
    assertThat(second.get()).isEqualTo("second");
    assertThatThrownBy(first::join).isInstanceOf(CompletionException.class);
    assertThat(cache.getIfPresent(1)).isEqualTo("second");
  }

  @Test
  void mayUseTheCache() {
    // Every nested key, so that some fall into the same bin of the table.
    assertThat(fibonacci(90)).isEqualTo("2880067194370816120");
    assertThat(cache.asMap()).hasSize(91);
    String nested =
        cache.get(
            200,
            key -> {
              cache.put(201, "put");
              cache.invalidate(201);
              return "done";
            });
    assertThat(nested).isEqualTo("done");
  }

  private String fibonacci(int n) {
    return cache.get(
        n,
        key ->
            n < 2
                ? Integer.toString(n)
                : Long.toString(
                    Long.parseLong(fibonacci(n - 1)) + Long.parseLong(fibonacci(n - 2))));
  }

  @Test
  void isRefusedIfItWaitsForItself() {
    assertThatThrownBy(() -> cache.get(1, key -> cache.get(1, again -> "never")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("key 1");
    assertThatThrownBy(() -> cache.get(1, a -> cache.get(2, b -> cache.get(1, again -> "never"))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  void isRefusedIfTwoThreadsWaitForEachOther() throws Exception {
    CyclicBarrier bothLoading = new CyclicBarrier(2);
    CompletableFuture<String> one = inThread(() -> loadThenAsk(1, 2, bothLoading));
    CompletableFuture<String> two = inThread(() -> loadThenAsk(2, 1, bothLoading));
    CompletableFuture.allOf(one, two).exceptionally(e -> null).get();
    assertThat(one.isCompletedExceptionally() || two.isCompletedExceptionally()).isTrue();
  }

  private String loadThenAsk(int key, int other, CyclicBarrier bothLoading) {
    return cache.get(
        key,
        k -> {
          await(bothLoading);
          return "with " + cache.get(other, o -> "other");
        });
  }

  @Test
  void givesWayToAValueThatWasPutMeanwhile() {
    String result =
        cache.get(
            1,
            key -> {
              cache.put(1, "put");
              return "loaded";
            });
    assertThat(result).isEqualTo("put");
    assertThat(cache.getIfPresent(1)).isEqualTo("put");
    assertThat(removed).containsExactly("loaded REPLACED");
  }

  @Test
  void isNotCachedIfInvalidatedMeanwhile() {
    String result =
        cache.get(
            1,
            key -> {
              cache.invalidate(1);
              return "stale";
            });
    assertThat(result).isEqualTo("stale");
    assertThat(cache.getIfPresent(1)).isNull();
    assertThat(removed).containsExactly("stale EXPLICIT");
    assertThat(cache.policy().sizes().totalWeight()).isZero();
  }

  @Test
  void isNotCachedIfAllIsInvalidatedMeanwhile() {
    cache.put(2, "other");
    String result =
        cache.get(
            1,
            key -> {
              cache.invalidateAll();
              return "stale";
            });
    assertThat(result).isEqualTo("stale");
    assertThat(cache.asMap()).isEmpty();
    assertThat(removed).containsExactly("other EXPLICIT", "stale EXPLICIT");
  }

  @Test
  void keepsTheInterruptOfAThreadThatWaits() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<String> load =
        inThread(
            () ->
                cache.get(
                    1,
                    key -> {
                      loading.countDown();
                      await(goOn);
                      return "loaded";
                    }));
    await(loading);
    Thread[] waiter = new Thread[1];
    CompletableFuture<Boolean> interrupted =
        inThread(
            () -> {
              waiter[0] = Thread.currentThread();
              cache.get(1, key -> "never");
              return Thread.interrupted();
            });
    awaitBlocked(waiter);
    waiter[0].interrupt();
    goOn.countDown();
    assertThat(interrupted.get()).isTrue();
    assertThat(load.get()).isEqualTo("loaded");
  }

  private static <T> CompletableFuture<T> inThread(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.get());
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private static void awaitBlocked(Thread[] thread) {
    Awaitility.await()
        .atMost(1, TimeUnit.MINUTES)
        .until(() -> thread[0] != null && thread[0].getState() == Thread.State.WAITING);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
