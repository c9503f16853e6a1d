// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {
  private final VirtualTime time = new VirtualTime();
  private final List<String> done = new ArrayList<>();

  private void note(String what) {
    done.add(what + " " + time.nanos());
  }

  @Test
  void eventsHappenWhenTheyAreDueAndInTheOrderOfAsking() {
    time.after(20, () -> note("late"));
    time.after(10, () -> note("first"));
    time.after(10, () -> note("second"));
    time.after(10, () -> time.after(5, () -> note("after that")));
    time.after(21, () -> note("not yet"));

    time.pass(20);
    assertThat(done).containsExactly("first 10", "second 10", "after that 15", "late 20");
    assertThat(time.nanos()).isEqualTo(20);
  }

  @Test
  void aTurnWaitsInVirtualTime() {
    Turn turn =
        Turn.of(
            "test",
            () -> {
              Turn mine = Objects.requireNonNull(Turn.current());
              note("begins");
              time.after(7, mine::goOn);
              mine.await();
              note("goes on");
            });
    assertThat(done).isEmpty();
    time.after(3, turn::goOn);

    time.pass(9);
    assertThat(done).containsExactly("begins 3");
    time.pass(1);
    assertThat(done).containsExactly("begins 3", "goes on 10");
    turn.goOn(); // is over
    assertThat(Turn.current()).isNull();
  }

  @Test
  void aTurnThatIsEndedGoesNoFurther() throws InterruptedException {
    Turn turn =
        Turn.of(
            "test",
            () -> {
              Objects.requireNonNull(Turn.current()).await();
              note("goes on");
            });
    turn.goOn();
    turn.end();
    turn.join();
    assertThat(done).isEmpty();
  }

  @Test
  void whatATurnThrowsIsToldOf() {
    Turn turn =
        Turn.of(
            "test",
            () -> {
              throw new UnsupportedOperationException("for the test");
            });
    assertThatIllegalStateException()
        .isThrownBy(turn::goOn)
        .withCauseInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aFewThreadsTakeOneTaskAfterTheOther() {
    VirtualThreads threads = new VirtualThreads(time, 2, 10);
    for (String name : List.of("a", "b", "c")) {
      threads.execute(() -> note(name));
    }
    time.pass(100);
    assertThat(done).containsExactly("a 10", "b 10", "c 20");
  }

  @Test
  void aKeeperWorksWhenItIsDueAndNotForEachThatAsked() {
    VirtualKeeper keeper =
        new VirtualKeeper(
            time,
            () -> {
              note("work");
              return 50;
            });
    keeper.start();
    time.pass(1);
    keeper.within(20);
    keeper.within(10);
    time.pass(75);
    assertThat(done).containsExactly("work 0", "work 11", "work 61");
    keeper.close();
    time.pass(100);
    assertThat(done).hasSize(3);
  }
}
