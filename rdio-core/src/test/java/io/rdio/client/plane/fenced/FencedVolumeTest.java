// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks at a fenced device that answer late or never, and readers that do not wait for them. */
final class FencedVolumeTest {
  private static final Path NODE = Path.of("/dev/nvme7n1");
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path directory;

  private final FakeFences fences = new FakeFences(NODE);
  private FakeCopies copies;

  @BeforeEach
  void makeVolume() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    copies = new FakeCopies(directory);
    copies.storage("data", "DS-1");
  }

  @AfterEach
  void end() {
    fences.answer();
  }

  private FencedVolume open(Duration timeout) throws Exception {
    return open(new FenceLooks(fences, timeout));
  }

  private FencedVolume open(FenceLooks looks) throws Exception {
    return FencedVolume.open(
        NODE,
        new FencedVolume.Means(
            looks, copies, node -> copies.device(), new StorageOwners(Set.of(copies.owner()))));
  }

  private static FallbackReason refusal(FencedVolume volume) {
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, volume::requireStanding);
    assertThat(refused).isNotNull();
    return refused.reason();
  }

  private void awaitLooks(int looks) {
    await("looks").until(() -> fences.looks() >= looks);
  }

  @Test
  void interruptOfOneReaderIsNobodyElses() throws Exception {
    FencedVolume volume = open(LONG);
    int looks = fences.looks();
    fences.hang(0);
    List<FallbackReason> reasons = new ArrayList<>();
    Thread reader = new Thread(() -> reasons.add(refusal(volume)));
    reader.start();
    awaitLooks(looks + 1);
    reader.interrupt();
    Patience.join(reader);
    assertThat(reasons).containsExactly(FallbackReason.INTERRUPTED);

    fences.answer();
    volume.requireStanding();
    assertThat(volume.isLost()).isFalse();
  }

  @Test
  void oneLookServesAllWhoAskedBeforeItBegan() throws Exception {
    FencedVolume volume = open(LONG);
    int looks = fences.looks();
    fences.hang(0);
    List<Thread> readers = new ArrayList<>();
    List<FallbackException> refused = Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 3; i++) {
      Thread reader = new Thread(() -> refused.addAll(refusals(volume)));
      readers.add(reader);
      reader.start();
      awaitLooks(looks + 1); // the others ask behind that
    }
    for (Thread reader : readers) {
      await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);
    }

    fences.answer();
    for (Thread reader : readers) {
      Patience.join(reader);
    }
    assertThat(refused).isEmpty();
    assertThat(fences.looks()).as("the first began too early").isEqualTo(looks + 2);
  }

  private static List<FallbackException> refusals(FencedVolume volume) {
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, volume::requireStanding);
    return refused == null ? List.of() : List.of(refused);
  }

  @Test
  void deviceThatHangsCostsADeadlineOnce() throws Exception {
    FenceLooks shortLooks = new FenceLooks(fences, SHORT);
    // On a machine that stands still one that answers may be given up, too.
    FencedVolume volume =
        await()
            .ignoreExceptionsInstanceOf(FallbackException.class)
            .until(() -> open(shortLooks), opened -> true);
    int looks = fences.looks();
    fences.hang(0);
    assertThat(refusal(volume)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    awaitLooks(looks + 1);
    for (int i = 0; i < 20; i++) {
      assertThat(refusal(volume)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    }
    AtomicBoolean ended = new AtomicBoolean();
    volume.look(Runnable::run, () -> ended.set(true));
    assertThat(ended).as("nothing waits for it").isTrue();
    assertThat(fences.looks()).as("threads in it").isEqualTo(looks + 1);
    assertThat(volume.isLost()).isFalse();

    fences.answer();
    awaitStanding(volume);
    assertThat(volume.isLost()).isFalse();
  }

  private static void awaitStanding(FencedVolume volume) throws FallbackException {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (true) {
      try {
        volume.requireStanding();
        return;
      } catch (FallbackException e) {
        assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
        assertThat(System.nanoTime()).isLessThan(deadline);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  @Test
  void copyThatIsNotKnownToStandIsRemoved() throws Exception {
    fences.hang(1); // ahead of the copy it answers
    List<FallbackReason> reasons = new ArrayList<>();
    Thread opener =
        new Thread(
            () -> {
              FallbackException refused =
                  catchThrowableOfType(FallbackException.class, () -> open(LONG));
              reasons.add(refused.reason());
            });
    opener.start();
    awaitLooks(2);
    opener.interrupt();
    Patience.join(opener);
    assertThat(reasons).containsExactly(FallbackReason.INTERRUPTED);
    assertThat(copies.made()).isEqualTo(1);
    assertThat(copies.open()).isZero();
  }

  /** What is held is looked at again, where no thread was to be had. */
  @Test
  void noThreadToLookBy() throws Exception {
    FencedVolume volume = open(LONG);
    int looks = fences.looks();
    Executor none =
        work -> {
          throw new RejectedExecutionException("none");
        };
    assertThat(
            catchThrowableOfType(
                RejectedExecutionException.class, () -> volume.look(none, () -> {})))
        .isNotNull();
    volume.look(Runnable::run, () -> {});
    assertThat(fences.looks()).isEqualTo(looks + 1);
    volume.requireStanding();
  }

  @Test
  void oneThreadLooksForNobodyAtATime() throws Exception {
    FencedVolume volume = open(LONG);
    List<Runnable> begun = new ArrayList<>();
    volume.look(begun::add, () -> {});
    volume.look(begun::add, () -> {});
    assertThat(begun).hasSize(1);
    begun.get(0).run();
    volume.look(begun::add, () -> {});
    assertThat(begun).hasSize(2);
  }
}
