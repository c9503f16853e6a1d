// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The writer's device is cut off at some write, again and again, and mounted and written to by the
 * next one, while readers go on by their maps: they are handed nothing foreign, and each new mount
 * is noticed (R2).
 *
 * <p>The device is a file on xfs. A clone of it excludes its writes, so that it is the device
 * between two of them. All writes in front of it are there; {@code LostCachePropertyTest} has a
 * cache that is lost with the power.
 */
@Tag("loop")
final class CutOffWriterIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final int CUTS = ALL ? 200 : 8;
  private static final int MOST_MILLIS = 300;
  private static final long BYTES = 64L << 20;

  /** For readers that go on; they read as much in a moment. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final MonotonicClock clock = new BootTimeClock();
  private final DeviceCounters counters = new DeviceCounters();
  private final Random random = new Random(11);

  /** A device with its mount, until its power is cut. */
  private static final class Powered implements AutoCloseable {
    final LoopDevice loop;
    final LoopFileSystem mounted;
    private boolean closed;

    private Powered(LoopDevice loop, LoopFileSystem mounted) {
      this.loop = loop;
      this.mounted = mounted;
    }

    static Powered on(Path file, boolean isNew) throws IOException {
      LoopDevice loop = LoopDevice.attach(file);
      try {
        if (isNew) {
          AttackedVolume.format(loop, "-b 4096 -J size=4");
        }
        return new Powered(loop, LoopFileSystem.existing(loop.node(), "defaults"));
      } catch (IOException e) {
        loop.close();
        throw e;
      }
    }

    void writeRecord() throws Exception {
      AttackedVolume.writeRecord(mounted, loop, AttackedVolume.options(loop));
    }

    /** Not twice: another's device may have the node's number by then. */
    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try {
        mounted.close();
      } finally {
        loop.close();
        Files.delete(loop.backingFile());
      }
    }
  }

  @Test
  void nothingForeignIsHandedOutBehindACut() throws Exception {
    Requirements.requireLoop("xfs");
    Requirements.requireLoop("ext4");
    try (LoopFileSystem disks = LoopFileSystem.create("xfs")) {
      Path first = disks.mountPoint().resolve("0");
      try (RandomAccessFile sparse = new RandomAccessFile(first.toFile(), "rw")) {
        sparse.setLength(BYTES);
      }
      try (CutDevice device = new CutDevice(first)) {
        cutAgainAndAgain(device, Powered.on(first, true));
      }
    }
  }

  private void cutAgainAndAgain(CutDevice device, Powered first) throws Exception {
    Powered powered = first;
    try {
      AttackedVolume.begin(powered.mounted);
      AttackingWriter writer = AttackedVolume.writer(powered.mounted, 13);
      LocatedStorage storage = AttackedVolume.storage(device, clock, counters);
      try (EndlessReaders readers = new EndlessReaders(storage, writer, clock)) {
        for (int i = 1; i <= CUTS; i++) {
          Path file = powered.loop.backingFile();
          Path copy = file.resolveSibling(Integer.toString(i));
          try (Attack attack = new Attack(writer)) {
            powered.writeRecord(); // not at once: till then readers have old maps only
            readers.waitForPages(PATIENCE);
            assertThat(counters.mountsSeen.sum())
                .as("mounts that were noticed")
                .isGreaterThanOrEqualTo(i - 1);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MOST_MILLIS)));
            device.cut(() -> clone(file, copy));
            attack.writer().requireAlive();
          }
          powered.close();
          powered = Powered.on(copy, false);
          writer = AttackedVolume.successor(writer, powered.mounted, i);
        }
        System.out.println(CUTS + " cuts: " + readers);
      }
    } finally {
      powered.close();
    }
  }

  private static Path clone(Path from, Path to) throws IOException {
    Command.run("cp", "--reflink=always", from.toString(), to.toString());
    return to;
  }
}
