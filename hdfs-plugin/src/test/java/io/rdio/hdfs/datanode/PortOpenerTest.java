// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the port is tried, what is told of it, and what ends it. */
final class PortOpenerTest {
  private final List<Duration> pauses = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private Throwable failure = new NotYetException("taken", new IOException());
  private int tries;
  private long nanos = Long.MAX_VALUE - 1; // which overflows

  private final PortOpener opener =
      new PortOpener(this::port, new Told(), new ByHand(), () -> nanos);

  private void port() throws NotYetException {
    tries++;
    if (failure instanceof NotYetException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    } else if (failure instanceof RuntimeException e) {
      throw e;
    }
  }

  private final class Told implements PortOpener.Outcome {
    @Override
    public void opened() {
      told.add("opened");
    }

    @Override
    public void failed(Throwable why) {
      told.add(why.getMessage());
    }
  }

  private final class ByHand implements PortOpener.Timer {
    @Override
    public void after(Duration pause, Runnable task) {
      pauses.add(pause);
      waiting.add(task);
    }

    @Override
    public void close() {}
  }

  private void timePasses() {
    nanos += pauses.get(pauses.size() - 1).toNanos();
    waiting.remove(0).run();
  }

  @Test
  void aTakenPortIsTriedEverMoreSeldomUntilItIsFree() {
    opener.open();
    for (int i = 0; i < 8; i++) {
      timePasses();
    }
    assertThat(pauses.stream().map(Duration::toSeconds))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    assertThat(told).as("the same, told once").containsExactly("taken");
    failure = new NotYetException("certificate expired", new IOException());
    timePasses();
    failure = null;
    timePasses();
    assertThat(told).containsExactly("taken", "certificate expired", "opened");
    assertThat(waiting).isEmpty();
  }

  @Test
  void whatWillNotGoByItselfIsNotTriedAgain() {
    for (Throwable lasting :
        List.of(
            new IllegalArgumentException("a key's value"),
            new UnsupportedOperationException("no Linux"),
            new NoSuchFieldError("DIR"),
            new OutOfMemoryError("heap"))) {
      failure = lasting;
      opener.open();
      assertThat(told).last().isEqualTo(lasting.getMessage());
    }
    assertThat(waiting).isEmpty();
  }

  @Test
  void closeEndsTheTries() {
    opener.open();
    opener.close();
    timePasses();
    assertThat(tries).isEqualTo(1);
    assertThat(waiting).isEmpty();
  }
}
