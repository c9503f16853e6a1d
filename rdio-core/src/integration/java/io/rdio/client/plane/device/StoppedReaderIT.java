// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process that reads by maps of the device is stopped (SIGSTOP) between two of its steps, until
 * the log has gone round, and its block's place has another file's bytes. No pause is too long: it
 * is refused then, and handed all the same what nobody has touched.
 */
@Tag("loop")
final class StoppedReaderIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final long PATIENCE_NANOS = Duration.ofMinutes(ALL ? 15 : 3).toNanos();
  private static final long PAUSE_NANOS = Duration.ofMillis(1).toNanos();

  /** The file system may have no use for a block's place for as long as it is written to. */
  private static final long PLACE_NANOS = Duration.ofSeconds(10).toNanos();

  /** A log of 1024 blocks, each with room for 4 inodes. */
  private static final String FORMAT = "-b 1024 -J size=1 -I 256";

  /** Files whose inodes take at least 100 blocks of the log whenever all are touched. */
  private static final int BALLAST = 400;

  private static final int TOUCHES = 12;

  /** The reads of the device behind the map: the data, the log's end, its start. */
  private static final String DATA = "0";

  private static final String END = "1";
  private static final String START = "2";
  private static final String NOWHERE = "-";

  /** What is said where the writer changes metadata faster than it is resolved. */
  private static final String STALLED = "refused VOLUME_STALLED";

  /** A block that the writer leaves alone. */
  private static final int KEPT = AttackingWriter.BLOCKS;

  /** Reads of the device that a first resolve has, about. */
  private static final int RESOLVE_READS = 32;

  private static final int RESOLVE_STEP = ALL ? 1 : 11;

  private static final int TIMES = ALL ? 20 : 1;

  private final Random random = new Random(3);
  private LoopDevice loop;
  private LoopFileSystem mounted;
  private BlockDevice device;
  private final List<Path> ballast = new ArrayList<>();
  private long touched;
  private AttackingWriter writer;
  private long deadline;

  @BeforeEach
  void mount() throws Exception {
    Requirements.requireLoop("ext4");
    deadline = System.nanoTime() + PATIENCE_NANOS;
    loop = LoopDevice.create(32L << 20);
    AttackedVolume.format(loop, FORMAT);
    mounted = LoopFileSystem.existing(loop.node(), "defaults");
    AttackedVolume.begin(mounted);
    AttackedVolume.writeRecord(mounted, loop, AttackedVolume.options(loop));
    Path directory = Files.createDirectory(mounted.mountPoint().resolve("ballast"));
    for (int i = 0; i < BALLAST; i++) {
      ballast.add(Files.createFile(directory.resolve(Integer.toString(i))));
    }
    writer = AttackedVolume.writer(mounted, 7);
    writer.create(AttackingWriter.name(KEPT));
    Command.run("sync", "-f", mounted.mountPoint().toString());
    device = NamedDevice.open(loop.backingFile());
  }

  @AfterEach
  void unmount() throws Exception {
    try {
      if (mounted != null) {
        mounted.close();
      }
    } finally {
      if (loop != null) {
        loop.close();
      }
    }
  }

  @Test
  void isRefusedWhatBecameAnothers() throws Exception {
    try (Attack attack = new Attack(writer);
        StoppedProcess reader = new StoppedProcess(loop.backingFile())) {
      for (int i = 0; i < TIMES; i++) {
        requireRefused(attack, reader, DATA + "," + END);
        requireRefused(attack, reader, DATA + "," + START);
      }
      requireIsAttack(attack, reader);
    }
  }

  private void requireRefused(Attack attack, StoppedProcess reader, String stops) throws Exception {
    Outcome outcome = readUntilStopped(attack, reader, true, stops);
    System.out.println("stopped in front of " + stops + ": " + outcome.said());
    assertThat(outcome.said())
        .isIn(
            "refused LEASE_EXPIRED",
            "refused REPLICA_CHANGED",
            "refused METADATA_UNREADABLE",
            STALLED);
  }

  /** Without the look it is handed another file's bytes. */
  private void requireIsAttack(Attack attack, StoppedProcess reader) throws Exception {
    Outcome outcome;
    do {
      outcome = readUntilStopped(attack, reader, false, DATA);
      assertThat(outcome.said()).startsWith("handed ");
    } while (!outcome.isForeign());
  }

  @Test
  void isHandedWhatNobodyTouched() throws Exception {
    try (Attack attack = new Attack(writer);
        StoppedProcess reader = new StoppedProcess(loop.backingFile())) {
      for (String stops : List.of(END, START)) {
        Outcome outcome;
        do {
          outcome = read(reader, KEPT, true, NOWHERE, stops);
          attack.writer().requireAlive();
          assertThat(System.nanoTime() - deadline).as("in time").isNegative();
        } while (outcome.stopped() == 0 || outcome.said().equals(STALLED));
        assertThat(outcome.said()).startsWith("handed ");
        assertThat(outcome.isForeign()).isFalse();
      }
    }
  }

  @Test
  void isHandedNothingForeignByAMapThatTookLong() throws Exception {
    try (Attack attack = new Attack(writer);
        StoppedProcess reader = new StoppedProcess(loop.backingFile())) {
      int handed = 0;
      for (int i = 1; i < RESOLVE_READS || handed == 0; i += RESOLVE_STEP) {
        assertThat(System.nanoTime() - deadline).as("in time").isNegative();
        int before = i % RESOLVE_READS;
        int block = random.nextInt(AttackingWriter.BLOCKS);
        Outcome outcome = read(reader, block, true, Integer.toString(before), NOWHERE);
        System.out.println("stopped in front of read " + before + " of a map: " + outcome.said());
        assertThat(outcome.isForeign()).as("block %s: %s", block, outcome.said()).isFalse();
        handed += outcome.said().startsWith("handed ") ? 1 : 0;
        attack.writer().requireAlive();
      }
    }
  }

  /**
   * What came of a read.
   *
   * @param stopped how often it was stopped, and its block's place became another's if it had one
   */
  private record Outcome(String said, int stopped, boolean isForeign) {}

  /**
   * Reads blocks until one was stopped wherever it should be, with another's bytes in its place.
   */
  private Outcome readUntilStopped(
      Attack attack, StoppedProcess reader, boolean looks, String stops) throws Exception {
    int wanted = stops.split(",", -1).length;
    Outcome outcome;
    do {
      int block = random.nextInt(AttackingWriter.BLOCKS);
      outcome = read(reader, block, looks, NOWHERE, stops);
      attack.writer().requireAlive();
      assertThat(System.nanoTime() - deadline).as("in time").isNegative();
    } while (outcome.stopped() < wanted);
    return outcome;
  }

  private Outcome read(
      StoppedProcess reader, int block, boolean looks, String mapping, String reading)
      throws Exception {
    String name = AttackingWriter.name(block);
    int[] stopped = {0};
    String said =
        reader.read(
            block + " " + looks + " " + mapping + " " + reading,
            place -> {
              goRound();
              stopped[0] += place < 0 || block == KEPT || becameAnothers(place, name) ? 1 : 0;
            });
    boolean isForeign =
        said.startsWith("handed ")
            && !writer.isOf(Long.parseLong(said.substring("handed ".length())), name);
    return new Outcome(said, stopped[0], isForeign);
  }

  /** Until the log is all of other transactions. */
  private void goRound() throws IOException {
    for (int i = 0; i < TOUCHES; i++) {
      touched++;
      for (Path file : ballast) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(touched));
      }
      try (FileChannel last = FileChannel.open(ballast.get(BALLAST - 1), StandardOpenOption.READ)) {
        last.force(true);
      }
    }
  }

  private boolean becameAnothers(long place, String name) throws Exception {
    ByteBuffer word = ByteBuffer.allocateDirect(Long.BYTES);
    long end = System.nanoTime() + PLACE_NANOS;
    boolean isItsOwn;
    do {
      pause();
      device.read(place, word.clear());
      isItsOwn = writer.isOf(word.getLong(0), name);
    } while (isItsOwn && System.nanoTime() - end < 0);
    return !isItsOwn;
  }

  private void pause() {
    writer.requireAlive();
    assertThat(System.nanoTime() - deadline).as("in time").isNegative();
    LockSupport.parkNanos(PAUSE_NANOS);
  }
}
