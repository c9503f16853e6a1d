// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.ProcessLines;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rdio uninstall} on directories that look like a DataNode's. */
final class UninstallCommandTest {
  private static final int HOLD_MILLIS = 1_200;
  private static final String COMMAND = "rdio uninstall";

  /** For the start of its JVM. */
  private static final Duration START_MAX = Duration.ofMinutes(5);

  @TempDir Path folder;
  private Path volume;
  private Path rdio;
  private Path block;
  private Path deleted;
  private @Nullable Process jvm;

  @BeforeEach
  void make() throws IOException {
    volume = Files.createDirectories(folder.resolve("data"));
    Path current = Files.createDirectories(volume.resolve("current"));
    Files.createFile(current.resolve("VERSION"));
    block = Files.write(current.resolve("blk_1"), new byte[10]);
    rdio = volume.resolve("rdio");
    Path pins = Files.createDirectories(rdio.resolve("pins").resolve("" + HOLD_MILLIS));
    Files.createLink(pins.resolve("BP.1.1.ab.1.data"), block);
    deleted = Files.write(pins.resolve("BP.2.1.ab.2.data"), new byte[4096]);
    Files.write(rdio.resolve("witness"), new byte[1]);
  }

  @AfterEach
  void endJvm() {
    if (jvm != null) {
      jvm.destroyForcibly();
    }
  }

  private static String configured(Path volume) {
    return "-Ddfs.datanode.data.dir=" + volume.toUri();
  }

  @Test
  void dryRunTellsAndChangesNothing() {
    CliRun run = CliRun.of("uninstall", "--dry-run", configured(volume));

    assertThat(run.out())
        .contains(volume + ": 2 links of pinned blocks", "4 KB", "may run for 2 s")
        .doesNotContain("removed");
    assertThat(run.status()).isZero();
    assertThat(deleted).exists();
    assertThat(volume.resolve("in_use.lock")).doesNotExist();
  }

  @Test
  void removesAllOfRdioWhenItsLeasesHaveRunOut() {
    long start = System.nanoTime();

    CliRun run = CliRun.of("uninstall", configured(volume));

    assertThat(run.out()).contains("Waiting 2 s", volume + ": removed");
    assertThat(run.status()).isZero();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(HOLD_MILLIS * 1_000_000L);
    assertThat(rdio).doesNotExist();
    assertThat(block).exists();
    assertThat(volume.resolve("in_use.lock")).doesNotExist();
    assertThat(CliRun.of("uninstall", volume.toString()).out()).contains("nothing of RDIO");
  }

  @Test
  void doesNotWaitWhereNothingIsPinned() throws IOException {
    Files.delete(deleted);
    Files.delete(rdio.resolve("pins/" + HOLD_MILLIS + "/BP.1.1.ab.1.data"));

    CliRun run = CliRun.of("uninstall", volume.toString());

    assertThat(run.out()).doesNotContain("Waiting").contains("removed");
    assertThat(rdio).doesNotExist();
  }

  @Test
  void removesTheSlotsOfRemoteWritesWhenNoAgentMayWriteToThem() throws IOException {
    Path slots = Files.createDirectories(rdio.resolve("slots"));
    Path pool = Files.createDirectories(slots.resolve("pool/4096"));
    Path leased = Files.createDirectories(slots.resolve("leased/2500"));
    Path making = Files.createDirectories(slots.resolve("making"));
    Files.createDirectories(slots.resolve("leased/90000"));
    Files.write(pool.resolve("00000000000000ab.00000000000000cd"), new byte[4096]);
    Files.write(leased.resolve("00000000000000ac.00000000000000cd.-12.1001"), new byte[4096]);
    Files.createFile(leased.resolve("00000000000000ae.00000000000000cd.13.1001.5244abcdef012001"));
    Files.createFile(making.resolve("00000000000000ad"));
    long start = System.nanoTime();

    CliRun run = CliRun.of("uninstall", volume.toString());

    assertThat(run.out())
        .contains(volume + ": 4 slots for remote writes, 8 KB; agents may write to them for 3 s")
        .contains("Waiting 3 s", volume + ": removed")
        .doesNotContain("not RDIO's");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2_500_000_000L);
    assertThat(run.status()).isZero();
    assertThat(rdio).doesNotExist();
  }

  /** They are links of blocks that are there, and of such that HDFS has deleted. */
  @Test
  void removesWhatWasKeptForSlots() throws IOException {
    Path kept = Files.createDirectories(rdio.resolve("slots/kept"));
    Files.createLink(kept.resolve("00000000000000ab.00000000000000cd.1.1001"), block);
    Files.write(kept.resolve("00000000000000ac.00000000000000cd.-2.1001"), new byte[4096]);

    CliRun run = CliRun.of("uninstall", volume.toString());

    assertThat(run.out())
        .contains(": 2 links of blocks that were to be slots again, which alone keep 4 KB")
        .contains(volume + ": removed")
        .doesNotContain("slots for remote writes", "not RDIO's");
    assertThat(run.status()).isZero();
    assertThat(rdio).doesNotExist();
    assertThat(block).exists();
  }

  @Test
  void whatIsNotASlotStays() throws IOException {
    Path strange = Files.createDirectories(rdio.resolve("slots/pool/4096")).resolve("thesis");
    Files.createFile(strange);
    Path mine = Files.createDirectories(rdio.resolve("slots/mine"));

    CliRun run = CliRun.of("uninstall", volume.toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("not touched: " + strange, "not touched: " + mine)
        .contains("left: " + strange + " is not RDIO's");
    assertThat(strange).exists();
    assertThat(deleted).doesNotExist();
  }

  @Test
  void volumeThatADataNodeUsesIsRefused() throws IOException {
    try (FileChannel dataNode =
            FileChannel.open(
                volume.resolve("in_use.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = dataNode.lock()) {
      CliRun run = CliRun.of("uninstall", volume.toString());

      assertThat(lock.isValid()).isTrue();
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).contains("a DataNode uses " + volume, "fix: stop it");
      assertThat(deleted).exists();
    }
  }

  @Test
  void whatIsNotRdiosStays() throws IOException {
    Path strange = Files.createDirectories(rdio.resolve("pins/mine")).resolve("thesis.data");
    Files.createFile(strange);
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    Path precious = Files.createFile(elsewhere.resolve("x.data"));
    Files.createSymbolicLink(rdio.resolve("pins/123"), elsewhere);

    CliRun run = CliRun.of("uninstall", volume.toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("pins/mine is not RDIO's", "pins/123 is not RDIO's");
    assertThat(strange).exists();
    assertThat(precious).exists();
    assertThat(deleted).doesNotExist();
  }

  @Test
  void directoryOfNoDataNodeIsRefused() {
    CliRun run = CliRun.of("uninstall", folder.toString());

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("is not a DataNode's storage directory");
  }

  /** As by Ctrl-C, while it waits for leases: with nothing removed, and no lock left behind. */
  @Test
  void commandThatIsEndedLetsDataNodesInAgain() throws Exception {
    Process waiting = waiting();

    waiting.destroy();

    assertThat(ProcessEnd.statusOf(waiting, COMMAND)).isNotZero();
    assertThat(volume.resolve("in_use.lock")).doesNotExist();
    assertThat(deleted).exists();
  }

  @Test
  void lockOfADataNodeThatCameMeanwhileStays() throws Exception {
    Process waiting = waiting();
    Path lock = volume.resolve("in_use.lock");
    Path its = Files.createFile(volume.resolve("its"));
    Files.move(its, lock, StandardCopyOption.REPLACE_EXISTING);

    waiting.destroy();

    assertThat(ProcessEnd.statusOf(waiting, COMMAND)).isNotZero();
    assertThat(lock).exists();
  }

  /** The command in a JVM of its own, at the point where it waits, for a long time. */
  private Process waiting() throws IOException {
    Path pins = rdio.resolve("pins");
    Files.move(pins.resolve("" + HOLD_MILLIS), pins.resolve("600000"));
    deleted = pins.resolve("600000").resolve(deleted.getFileName());
    Path log = folder.resolve("uninstall.err");
    Process started =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Rdio.class.getName(),
                "uninstall",
                volume.toString())
            .redirectError(log.toFile())
            .start();
    jvm = started;
    ProcessLines said = ProcessLines.of(started, COMMAND, log);
    String line = "";
    while (!line.startsWith("Waiting")) {
      line = said.next("'Waiting'", START_MAX);
    }
    assertThat(volume.resolve("in_use.lock")).exists();
    return started;
  }
}
