// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.NativeLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class ServiceManagerTest {
  private static final long PID = 42;
  private static final long HALF_A_MINUTE = 30_000_000;

  private @TempDir Path directory;

  // The watchdog's clock: it says how long it wants to wait, and waits until it is told to go on.
  private final LinkedBlockingQueue<Long> pauses = new LinkedBlockingQueue<>();
  private final Semaphore over = new Semaphore(0);
  private ServiceManager manager;

  @BeforeEach
  void load() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  @AfterEach
  void end() {
    if (manager != null) {
      manager.stopping();
      over.release(2); // a watchdog that waits finds that it has ended
    }
  }

  private ServiceManager manager(Map<String, String> environment) {
    manager =
        new ServiceManager(
            environment,
            PID,
            nanos -> {
              pauses.add(nanos);
              over.acquire();
            });
    return manager;
  }

  private void letPass(Duration expected) throws InterruptedException {
    assertThat(pauses.take()).isEqualTo(expected.toNanos());
    over.release();
  }

  @Test
  void tellsWhenItServesAndWhenItEnds() throws Exception {
    String path = directory.resolve("notify").toString();
    try (NotifySocket systemd = new NotifySocket(path)) {
      ServiceManager told = manager(Map.of("NOTIFY_SOCKET", path));
      told.ready("listens at /here\nREADY=0", bound -> {});
      assertThat(systemd.next()).isEqualTo("READY=1\nSTATUS=listens at /here READY=0");
      assertThat(told.isWatched()).as("that was not asked for").isFalse();
      told.stopping();
      assertThat(systemd.next()).isEqualTo("STOPPING=1");
    }
  }

  @Test
  void saysThatItIsAliveTwiceInTheTimeAsLongAsItIs() throws Exception {
    String name = "@rdio-notify-test-" + ProcessHandle.current().pid();
    try (NotifySocket systemd = new NotifySocket(name)) {
      LinkedBlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
      ServiceManager told =
          manager(
              Map.of(
                  "NOTIFY_SOCKET",
                  name,
                  "WATCHDOG_USEC",
                  Long.toString(HALF_A_MINUTE),
                  "WATCHDOG_PID",
                  Long.toString(PID)));
      told.ready("", bound -> answer(bound, answers));
      assertThat(systemd.next()).startsWith("READY=1");
      assertThat(told.isWatched()).isTrue();

      answers.add(true);
      letPass(Duration.ofSeconds(15));
      assertThat(systemd.next()).isEqualTo("WATCHDOG=1");

      answers.add(false);
      letPass(Duration.ofSeconds(15));
      answers.add(false);
      letPass(Duration.ofMillis(1875));
      answers.add(true);
      letPass(Duration.ofMillis(1875));
      assertThat(systemd.next()).as("once it is alive again").isEqualTo("WATCHDOG=1");

      assertThat(pauses.take()).isEqualTo(Duration.ofSeconds(15).toNanos());
      told.stopping();
      over.release();
      assertThat(systemd.next()).as("nothing between").isEqualTo("STOPPING=1");
      assertThat(answers).isEmpty();
    }
  }

  private static void answer(Duration bound, LinkedBlockingQueue<Boolean> answers)
      throws FallbackException {
    assertThat(bound).isEqualTo(Duration.ofMillis(3750));
    if (!Boolean.TRUE.equals(answers.poll())) {
      throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, "it hangs");
    }
  }

  @Test
  void watchdogOfAnotherProcessIsNotFed() throws Exception {
    String path = directory.resolve("notify").toString();
    try (NotifySocket systemd = new NotifySocket(path)) {
      manager(Map.of("NOTIFY_SOCKET", path, "WATCHDOG_USEC", "1000000", "WATCHDOG_PID", "43"))
          .ready("", bound -> {});
      assertThat(systemd.next()).startsWith("READY=1");
      assertThat(manager.isWatched()).isFalse();
      manager.stopping();
      assertThat(systemd.next()).isEqualTo("STOPPING=1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "soon", "99999999999999999999"})
  void watchdogTimeWithoutSenseIsIgnored(String micros) throws Exception {
    String path = directory.resolve("notify").toString();
    try (NotifySocket systemd = new NotifySocket(path)) {
      manager(Map.of("NOTIFY_SOCKET", path, "WATCHDOG_USEC", micros)).ready("", bound -> {});
      assertThat(systemd.next()).startsWith("READY=1");
    }
    assertThat(manager.isWatched()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nobody/listens", "@nobody-listens", "vsock:2:1234", ""})
  void nobodyWhoListensIsNoHarm(String address) {
    manager(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "-")).ready("", bound -> {});
    assertThat(manager.isWatched()).isFalse();
  }

  @Test
  void whoHasNoServiceManagerIsNotWatched() {
    manager(Map.of("WATCHDOG_USEC", "1000000")).ready("", bound -> {});
    assertThat(manager.isWatched()).isFalse();
  }
}
