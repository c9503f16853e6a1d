// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Readers without a lease on a file system that the kernel writes to, as hard as it can: they are
 * handed no byte that is not of a file of that name, without any CRC. The same readers without the
 * look behind the data (R1) are: so it is an attack.
 *
 * <p>The readers go by the file behind the loop device, which another host's view of a namespace is
 * most like: a read of the node would have the kernel write its metadata home first.
 */
@Tag("loop")
final class AttackingWriterIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final Duration ATTACK = Duration.ofSeconds(ALL ? 60 : 5);

  /** Until the attack has succeeded against readers that do not look, on a machine that is busy. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final int READERS = 2;

  private final MonotonicClock clock = new BootTimeClock();
  private final DeviceCounters counters = new DeviceCounters();

  /** Options of mkfs.ext4, and of the mount. */
  static List<Arguments> shapes() {
    List<Arguments> shapes = new ArrayList<>();
    shapes.add(Arguments.of("-b 4096 -J size=4", "defaults"));
    shapes.add(Arguments.of("-b 1024 -J size=1 -O bigalloc -C 4096", "defaults"));
    if (ALL) {
      shapes.add(Arguments.of("-b 4096", "discard"));
      shapes.add(Arguments.of("-b 1024 -J size=1", "nodelalloc"));
      shapes.add(Arguments.of("-b 4096 -J size=4 -O ^64bit,^flex_bg", "journal_checksum"));
    }
    return shapes;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void noForeignByteIsHandedOut(String options, String mount) throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice loop = LoopDevice.create(64L << 20)) {
      Command.run("sh", "-c", "mkfs.ext4 -q " + options + " " + loop.node());
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), mount)) {
        LocatedStorage storage = prepare(mounted, loop);
        AttackingWriter writer = writer(mounted);
        writer.begin();
        Thread writing = new Thread(writer, "attacking-writer");
        writing.start();
        try {
          List<AttackedReader> blind = attack(storage, writer, false, PATIENCE);
          assertThat(blind).as("without R1").anyMatch(reader -> !reader.foreign.isEmpty());
          List<AttackedReader> readers = attack(storage, writer, true, ATTACK);
          report(options, readers);
          assertThat(readers).allMatch(reader -> reader.foreign.isEmpty(), "no foreign byte");
          assertThat(readers).allMatch(reader -> reader.pages > 100, "some reads passed");
        } finally {
          writer.stop();
          writing.join();
        }
        writer.requireAlive();
        assertThat(counters.filesChanged.sum()).as("maps that were refused").isPositive();
      }
    }
  }

  private void report(String options, List<AttackedReader> readers) {
    for (AttackedReader reader : readers) {
      System.out.printf(
          "%s: %d pages by %d maps, foreign %s, refused %s%n",
          options, reader.pages, reader.maps, reader.foreign, reader.refusals);
    }
    System.out.printf(
        "%s looks, %s shared; blocks: %s hits, %s reads, %s in the log; %s resolves, %s again; %s"
            + " comparisons, %s changed%n",
        counters.looks,
        counters.looksShared,
        counters.blockHits,
        counters.blockReads,
        counters.overlayHits,
        counters.resolves,
        counters.resolvesAgain,
        counters.comparisons,
        counters.filesChanged);
  }

  private static AttackingWriter writer(LoopFileSystem mounted) throws IOException {
    Path root = mounted.mountPoint();
    Path finalized = root.resolve("data/current/BP-1/current/finalized/subdir0/subdir0");
    Files.createDirectories(finalized);
    return new AttackingWriter(finalized, Files.createDirectory(root.resolve("outside")), 5);
  }

  private LocatedStorage prepare(LoopFileSystem mounted, LoopDevice loop) throws Exception {
    Path data = Files.createDirectories(mounted.mountPoint().resolve("data"));
    Files.createDirectories(data.resolve("current"));
    Files.writeString(
        data.resolve("current/VERSION"),
        "storageID=DS-one\nstorageType=DATA_NODE\nlayoutVersion=-57\n");
    writeRecord(data, loop);
    Command.run("sync", "-f", data.toString());
    LiveVolume live = LiveVolume.open(NamedDevice.open(loop.backingFile()), clock, counters);
    return new LocatedStorage(live, "DS-one", "/data", new StorageOwners(Set.of()));
  }

  /** In a later second than that of the mount. */
  private static void writeRecord(Path data, LoopDevice loop) throws Exception {
    Path options = Path.of("/proc/fs/ext4", loop.node().getFileName().toString(), "options");
    Path file = data.resolve(MountRecord.PATH);
    Files.createDirectories(file.getParent());
    Ext4Superblock superblock = Ext4Volume.open(NamedDevice.open(loop.backingFile())).superblock();
    long mounted = superblock.mount().mountedSeconds();
    while (System.currentTimeMillis() / 1000 <= mounted + 1) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    long now = System.currentTimeMillis() / 1000;
    List<String> inEffect = Files.readAllLines(options);
    MountRecord record = new MountRecord("DS-one", superblock.uuid(), now, "test", inEffect);
    Files.write(file, record.encode());
  }

  /** Reads for a time, or until something foreign was handed out. */
  private List<AttackedReader> attack(
      LocatedStorage storage, AttackingWriter writer, boolean looks, Duration time)
      throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    List<AttackedReader> readers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      AttackedReader reader = new AttackedReader(storage, writer, clock, looks, i);
      readers.add(reader);
      Thread thread =
          new Thread(
              () -> {
                while (reader.foreign.isEmpty() && System.nanoTime() - end < 0) {
                  reader.readOne();
                }
              },
              "attacked-reader-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return readers;
  }
}
