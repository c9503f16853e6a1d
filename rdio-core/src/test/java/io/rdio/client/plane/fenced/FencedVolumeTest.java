// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

  private final ManualClock clock = new ManualClock();
  private final FakeFences fences = new FakeFences(NODE);
  private final ExecutorService threads = Executors.newCachedThreadPool();
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
    threads.shutdownNow();
  }

  private FencedVolume open(Executor lookers, Duration timeout) throws Exception {
    FenceLooks looks = new FenceLooks(fences, lookers, timeout, clock);
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
    long deadline = System.nanoTime() + LONG.toNanos();
    while (fences.looks() < looks) {
      assertThat(System.nanoTime()).as("looks: %d", fences.looks()).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Test
  void interruptOfOneReaderIsNobodyElses() throws Exception {
    FencedVolume volume = open(threads, LONG);
    int looks = fences.looks();
    fences.hang(0);
    List<FallbackReason> reasons = new ArrayList<>();
    Thread reader = new Thread(() -> reasons.add(refusal(volume)));
    reader.start();
    awaitLooks(looks + 1);
    reader.interrupt();
    reader.join();
    assertThat(reasons).containsExactly(FallbackReason.INTERRUPTED);

    fences.answer();
    volume.requireStanding();
    assertThat(volume.isLost()).isFalse();
  }

  @Test
  void oneLookServesAllWhoAskedBeforeItBegan() throws Exception {
    FenceLooks looks = new FenceLooks(fences, threads, LONG, clock);
    fences.hang(0);
    CompletableFuture<FenceLooks.Answer> first = looks.begin(NODE);
    awaitLooks(1);
    CompletableFuture<FenceLooks.Answer> second = looks.begin(NODE);
    assertThat(looks.begin(NODE)).isSameAs(second).isNotSameAs(first);

    fences.answer();
    assertThat(first.get(LONG.toSeconds(), TimeUnit.SECONDS).fence()).isNotNull();
    assertThat(second.get(LONG.toSeconds(), TimeUnit.SECONDS).fence()).isNotNull();
    assertThat(fences.looks()).isEqualTo(2);
  }

  @Test
  void deviceThatHangsCostsADeadlineOnce() throws Exception {
    AtomicBoolean elsewhere = new AtomicBoolean();
    FencedVolume volume =
        open(work -> (elsewhere.get() ? threads : (Executor) Runnable::run).execute(work), SHORT);
    int looks = fences.looks();
    elsewhere.set(true);
    fences.hang(0);
    assertThat(refusal(volume)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    awaitLooks(looks + 1);
    clock.advance(LONG);
    assertThat(refusal(volume)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    volume.look(() -> {});
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
                  catchThrowableOfType(FallbackException.class, () -> open(threads, LONG));
              reasons.add(refused.reason());
            });
    opener.start();
    awaitLooks(2);
    opener.interrupt();
    opener.join();
    assertThat(reasons).containsExactly(FallbackReason.INTERRUPTED);
    assertThat(copies.made()).isEqualTo(1);
    assertThat(copies.open()).isZero();
  }

  @Test
  void noThreadToLookBy() throws Exception {
    List<Integer> refused = new ArrayList<>();
    Executor scarce =
        work -> {
          if (refused.isEmpty()) {
            refused.add(1);
            throw new RejectedExecutionException("none");
          }
          work.run();
        };
    assertThat(catchThrowableOfType(RejectedExecutionException.class, () -> open(scarce, LONG)))
        .isNotNull();
    open(scarce, LONG).requireStanding();
  }
}
