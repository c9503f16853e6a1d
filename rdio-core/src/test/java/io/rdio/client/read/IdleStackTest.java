// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Its races one by one: {@code IdleRaces}. */
@Timeout(180)
final class IdleStackTest {
  @Test
  void theLastOneGoesFirst() {
    IdleStack<String> stack = new IdleStack<>(3);
    assertThat(stack.poll()).isNull();
    stack.offer("a");
    stack.offer("b");
    assertThat(stack.poll()).isEqualTo("b");
    stack.offer("c");
    assertThat(List.of(stack.poll(), stack.poll())).containsExactly("c", "a");
    assertThat(stack.poll()).isNull();
  }

  @Test
  void oneMoreThanThereIsRoomForIsNotKept() {
    IdleStack<String> stack = new IdleStack<>(2);
    assertThat(stack.offer("a")).isTrue();
    assertThat(stack.offer("b")).isTrue();
    assertThat(stack.offer("c")).isFalse();
    assertThat(stack.poll()).isEqualTo("b");
    assertThat(stack.offer("c")).isTrue();
    assertThat(stack.poll()).isEqualTo("c");
  }

  @Test
  void itsSizeIsOfThoseHeld() {
    IdleStack<String> stack = new IdleStack<>(2);
    assertThat(stack.size()).isZero();
    assertThat(stack.isEmpty()).isTrue();
    stack.offer("a");
    stack.offer("b");
    stack.offer("c"); // for which there is no room
    assertThat(stack.size()).isEqualTo(2);
    stack.poll();
    assertThat(stack.size()).isEqualTo(1);
    assertThat(stack.isEmpty()).isFalse();
    stack.poll();
    stack.poll();
    assertThat(stack.size()).isZero();
  }

  /**
   * Threads take, hold and give back: no thing is with two of them, and none is lost. Few things
   * and many turns, so that a top often goes and comes back: without the count of changes most runs
   * of this find one with two owners.
   */
  @Test
  void eachHasOneOwner() throws Exception {
    int threads = 4;
    int things = 3;
    IdleStack<AtomicBoolean> stack = new IdleStack<>(things);
    for (int i = 0; i < things; i++) {
      stack.offer(new AtomicBoolean());
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<Boolean>> all = new ArrayList<>();
    Callable<Boolean> work =
        () -> {
          for (int turn = 0; turn < 3_000_000; turn++) {
            AtomicBoolean one = stack.poll();
            AtomicBoolean other = turn % 3 == 0 ? stack.poll() : null;
            if (!use(one) || !use(other) || !give(stack, one) || !give(stack, other)) {
              return false;
            }
          }
          return true;
        };
    for (int i = 0; i < threads; i++) {
      all.add(pool.submit(work));
    }
    for (Future<Boolean> one : all) {
      assertThat(one.get(120, TimeUnit.SECONDS)).isTrue();
    }
    pool.shutdown();
    for (int i = 0; i < things; i++) {
      assertThat(stack.poll()).isNotNull();
    }
    assertThat(stack.poll()).isNull();
  }

  private static boolean use(AtomicBoolean one) {
    return one == null || one.compareAndSet(false, true);
  }

  private static boolean give(IdleStack<AtomicBoolean> stack, AtomicBoolean one) {
    return one == null || (one.compareAndSet(true, false) && stack.offer(one));
  }
}
