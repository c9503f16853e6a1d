// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Work that nobody waits for. */
final class OneAtATimeTest {
  private final OneAtATime work = new OneAtATime();
  private final AtomicInteger runs = new AtomicInteger();
  private final List<Runnable> begun = new ArrayList<>();

  @Test
  void whoWantsItWhileItRunsGetsNoSecondRun() {
    work.begin(begun::add, runs::incrementAndGet);
    work.begin(begun::add, runs::incrementAndGet);
    assertThat(begun).hasSize(1);
    begun.get(0).run();
    assertThat(runs).hasValue(1);
    work.begin(begun::add, runs::incrementAndGet);
    assertThat(begun).hasSize(2);
  }

  @Test
  void whatFailsIsBegunAgain() {
    work.begin(
        begun::add,
        () -> {
          throw new IllegalStateException("of the work");
        });
    assertThatThrownBy(() -> begun.get(0).run()).hasMessage("of the work");
    work.begin(Runnable::run, runs::incrementAndGet);
    assertThat(runs).hasValue(1);
  }

  @Test
  void workThatNoThreadWasThereForIsBegunTheNextTime() {
    Executor noThreads =
        any -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    assertThatThrownBy(() -> work.begin(noThreads, runs::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    work.begin(Runnable::run, runs::incrementAndGet);
    assertThat(runs).hasValue(1);
  }
}
