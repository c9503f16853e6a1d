// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which copies are made and kept where some of them fail, and when all are removed. */
final class FencedVolumesTest {
  private static final Path FIRST = Path.of("/dev/nvme7n1");
  private static final Path SECOND = Path.of("/dev/nvme8n1");
  private static final Duration RETRY = Duration.ofSeconds(FencedVolumes.RETRY_SECONDS);

  @TempDir Path directory;

  private final ManualClock clock = new ManualClock();
  private final FakeFences fences = new FakeFences(FIRST, SECOND);
  private final List<Path> tried = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private FakeCopies copies;
  private FencedVolumes volumes;
  private boolean later;

  @BeforeEach
  void makeVolume() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    copies = new FakeCopies(directory);
    copies.storage("data", "DS-1");
    FencedVolume.Means means =
        new FencedVolume.Means(
            new FenceLooks(fences, Duration.ZERO),
            copies,
            node -> copies.device(),
            new StorageOwners(Set.of(copies.owner())));
    volumes = new FencedVolumes(means, this::execute, clock, FencedVolumes.PATIENCE_MAX);
  }

  private void execute(Runnable work) {
    if (later) {
      waiting.add(work);
    } else {
      work.run();
    }
  }

  private List<Path> copied() {
    return volumes.volumes().stream().map(FencedVolume::node).toList();
  }

  @Test
  void whatFailsUnexpectedlyKeepsTheOthers() throws Exception {
    copies.whileMaking(
        node -> {
          if (node.equals(SECOND)) {
            throw new UncheckedIOException(new IOException("no such folder"));
          }
        });
    volumes.searchAgain();
    assertThat(copied()).containsExactly(FIRST);
    assertThat(volumes.troubles()).contains(SECOND + ": ", "no such folder");
    volumes.close();
    assertThat(copies.open()).isZero();
  }

  @Test
  void unreadableRecordsSayNothingOfCopies() throws Exception {
    volumes.searchAgain();
    fences.forget("no rights");
    clock.advance(RETRY);
    volumes.searchAgain();
    assertThat(copied()).containsExactly(FIRST, SECOND);
    assertThat(volumes.troubles()).contains("no rights");
    assertThat(copies.made()).isEqualTo(2);
  }

  @Test
  void lostOnesAreNotSearchedForOnEachAsk() throws Exception {
    volumes.searchAgain();
    fences.undo("given back");
    volumes.look(() -> {});
    fences.forget("no rights");
    volumes.searchAgain();
    fences.forget(null);
    fences.redo();
    volumes.searchAgain();
    assertThat(copied()).isEmpty();
    assertThat(copies.open()).isZero();
    clock.advance(RETRY);
    volumes.searchAgain();
    assertThat(copied()).containsExactly(FIRST, SECOND);
  }

  @Test
  void eachServesAsSoonAsItIsMade() throws Exception {
    List<List<Path>> before = new ArrayList<>();
    copies.whileMaking(node -> before.add(copied()));
    volumes.searchAgain();
    assertThat(before).containsExactly(List.of(), List.of(FIRST));
  }

  @Test
  void slowFailureIsLeftAloneForAsLongAndComesLast() throws Exception {
    copies.whileMaking(
        node -> {
          tried.add(node);
          if (node.equals(FIRST)) {
            clock.advance(Duration.ofMinutes(1));
            throw new UncheckedIOException(new IOException("slow"));
          }
        });
    volumes.searchAgain();
    clock.advance(RETRY);
    volumes.searchAgain();
    assertThat(tried).containsExactly(FIRST, SECOND);
    assertThat(volumes.troubles()).contains("slow");

    Path third = Path.of("/dev/nvme9n1");
    fences.add(third);
    clock.advance(Duration.ofMinutes(1));
    volumes.searchAgain();
    assertThat(tried).containsExactly(FIRST, SECOND, third, FIRST);
    assertThat(copied()).containsExactly(SECOND, third);
  }

  /** Processes take an agent for dead that does not answer within the timeout of a read. */
  @ParameterizedTest
  @CsvSource({"10, true, 5", "10, false, 20", "60, true, 20", "0, true, 20"})
  void agentRefusesBeforeItsProcessesGiveItUp(int timeout, boolean forProcesses, int patience) {
    assertThat(FencedVolumes.patience(Duration.ofSeconds(timeout), forProcesses))
        .isEqualTo(Duration.ofSeconds(patience));
  }

  @Test
  void closedBeforeTheSearchBegan() throws Exception {
    volumes.searchAgain();
    fences.fenceAnew();
    volumes.look(() -> {});
    later = true;
    volumes.removeLost();
    volumes.close();
    assertThat(waiting).hasSize(1);
    waiting.get(0).run();
    assertThat(copies.made()).isEqualTo(2);
    assertThat(copies.open()).isZero();
  }

  @Test
  void closedWhileACopyIsMade() throws Exception {
    copies.whileMaking(node -> volumes.close());
    volumes.searchAgain();
    assertThat(copies.made()).isEqualTo(1);
    assertThat(copies.open()).isZero();
    assertThat(volumes.known()).isEmpty();
  }

  @Test
  void storageThatCannotBeReadIsLeftOutAndNamed() throws Exception {
    Path bad = directory.resolve("bad/current/VERSION");
    Files.createDirectories(bad.getParent());
    Files.writeString(bad, "storageID=DS-2\nlayoutVersion=-57\nstorageType=DATA_NODE\n");
    volumes.searchAgain();
    assertThat(volumes.known())
        .extracting(storage -> storage.found().storageId())
        .containsExactly("DS-1", "DS-1");
    assertThat(volumes.troubles()).contains(bad.toString());
  }
}
