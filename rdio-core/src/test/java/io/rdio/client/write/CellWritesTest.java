// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a stripe is read from no more. */
@Timeout(60)
final class CellWritesTest {
  private static final long MOMENT = Duration.ofMillis(1).toNanos();

  private final Queue<Runnable> threads = new ArrayDeque<>();
  private final CellWrites writes = new CellWrites(threads::add);
  private final AtomicInteger over = new AtomicInteger();

  @Test
  void lastOneSaysThatAllAreOver() {
    writes.begin(0, () -> {});
    writes.begin(3, () -> {});
    writes.whenOver(over::incrementAndGet);
    threads.remove().run();
    assertThat(writes.isOver()).isFalse();
    assertThat(over).hasValue(0);
    threads.remove().run();
    assertThat(writes.isOver()).isTrue();
    assertThat(over).hasValue(1);
  }

  @Test
  void whereNoneIsUnderWayThatIsSaidAtOnce() {
    writes.begin(0, () -> {});
    threads.remove().run();
    writes.whenOver(over::incrementAndGet);
    assertThat(over).hasValue(1);
  }

  @Test
  void oneThatThrowsIsOver() {
    writes.begin(
        2,
        () -> {
          throw new IllegalStateException("for the test");
        });
    assertThatThrownBy(threads.remove()::run).hasMessage("for the test");
    assertThat(writes.isOver()).isTrue();
  }

  @Test
  void lateOnesAreNamed() {
    writes.begin(0, () -> {});
    writes.begin(3, () -> {});
    writes.begin(4, () -> {});
    threads.remove().run();
    assertThat(writes.await(0b00111, MOMENT)).isZero();
    assertThat(writes.await(0b01111, MOMENT)).isEqualTo(0b01000);
  }

  @Test
  void callerWritesWhereThereIsNoThread() {
    CellWrites alone =
        new CellWrites(
            work -> {
              throw new RejectedExecutionException();
            });
    alone.begin(1, over::incrementAndGet);
    assertThat(over).hasValue(1);
    assertThat(alone.isOver()).isTrue();
  }
}
