// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Readers without a lease on a file system that the kernel writes to, as hard as it can: they are
 * handed no byte that is not of a file of that name, without any CRC and with. The same readers
 * without the look behind the data (R1) are, and so are all where data is not written in front of
 * its commit (W2): so it is an attack.
 */
@Tag("loop")
final class AttackingWriterIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final Duration ATTACK = Duration.ofSeconds(ALL ? 60 : 4);

  /**
   * Until the attack has succeeded against readers that do not look, or what runs beside has run
   * once, on a machine that is busy.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final long PAGES = 100;

  private static final long BYTES = 64L << 20;
  private static final String SMALL_LOG = "-b 4096 -J size=4";
  private static final String MANY_EXTENTS = "-b 1024 -J size=1";

  /** What newer mke2fs make by themselves, or large volumes are made with. */
  private static final String NEWER = SMALL_LOG + " -O orphan_file,metadata_csum_seed,large_dir";

  /** 64 groups, so that four blocks of descriptors lie in groups of their own. */
  private static final String META_GROUPS = MANY_EXTENTS + " -g 1024 -O meta_bg,^resize_inode";

  private final MonotonicClock clock = new BootTimeClock();
  private final DeviceCounters counters = new DeviceCounters();

  /** What runs over and over beside. */
  private enum Beside {
    NOTHING("", ""),
    FSTRIM("fstrim", "fstrim \"$0\""),
    /** Says how many files it moved. */
    E4DEFRAG("e4defrag", "e4defrag -v \"$0\" 2>/dev/null | grep -c -- '-> .*OK' || true");

    final String tool;

    /** For a shell, whose $0 is the file system's root. */
    final String command;

    Beside(String tool, String command) {
      this.tool = tool;
      this.command = command;
    }
  }

  /**
   * How it is attacked.
   *
   * @param format options of mkfs.ext4
   * @param mount options of the mount
   * @param verify whether readers verify CRCs
   */
  private record Shape(String format, String mount, boolean verify, Beside beside) {
    @Override
    public String toString() {
      return format
          + ", mounted with "
          + mount
          + (verify ? ", CRC on" : ", CRC off")
          + (beside == Beside.NOTHING ? "" : ", beside " + beside.tool);
    }
  }

  private record Features(String format, String mount) {}

  static List<Shape> shapes() {
    List<Shape> shapes = new ArrayList<>();
    if (!ALL) {
      shapes.add(new Shape(SMALL_LOG, "defaults", false, Beside.FSTRIM));
      shapes.add(
          new Shape("-b 1024 -J size=1 -O bigalloc -C 4096", "defaults", true, Beside.NOTHING));
      shapes.add(new Shape(NEWER, "defaults", false, Beside.NOTHING));
      shapes.add(new Shape(META_GROUPS, "defaults", true, Beside.NOTHING));
      return shapes;
    }
    for (Features features : allFeatures()) {
      shapes.add(new Shape(features.format(), features.mount(), false, Beside.NOTHING));
      shapes.add(new Shape(features.format(), features.mount(), true, Beside.NOTHING));
    }
    shapes.add(new Shape(SMALL_LOG, "defaults", false, Beside.FSTRIM));
    shapes.add(new Shape(SMALL_LOG, "defaults", true, Beside.FSTRIM));
    shapes.add(new Shape(MANY_EXTENTS, "nodelalloc", true, Beside.E4DEFRAG));
    shapes.add(new Shape(MANY_EXTENTS, "nodelalloc", false, Beside.E4DEFRAG));
    return shapes;
  }

  /** There is no other kind of checksums in the log: the kernel takes version 3 for version 2. */
  private static List<Features> allFeatures() {
    return List.of(
        new Features("-b 4096", "defaults"),
        new Features(SMALL_LOG, "defaults"),
        new Features(MANY_EXTENTS, "defaults"),
        new Features("-b 1024 -J size=1 -O bigalloc -C 4096", "defaults"),
        new Features(NEWER, "defaults"),
        new Features(META_GROUPS, "defaults"),
        new Features("-b 4096", "discard"),
        new Features(MANY_EXTENTS, "nodelalloc"),
        new Features(SMALL_LOG + " -O ^64bit,^flex_bg", "defaults"),
        new Features(SMALL_LOG, "journal_checksum"),
        new Features(SMALL_LOG, "nojournal_checksum"));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void noForeignByteIsHandedOut(Shape shape) throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice loop = LoopDevice.create(BYTES)) {
      try (LoopFileSystem mounted = made(loop, shape)) {
        LocatedStorage storage = begin(mounted, loop);
        AttackedVolume.writeRecord(mounted, loop, AttackedVolume.options(loop));
        try (Attack attack = new Attack(AttackedVolume.writer(mounted, 5))) {
          requireIsAttack(storage, attack.writer());
          readBeside(shape, mounted, storage, attack.writer());
        }
        assertThat(counters.filesChanged.sum()).as("maps that were refused").isPositive();
      }
    }
  }

  /** Skips the test, or fails it where nothing may be skipped, if mke2fs or the kernel refuses. */
  private static LoopFileSystem made(LoopDevice loop, Shape shape) throws IOException {
    try {
      AttackedVolume.format(loop, shape.format());
      return LoopFileSystem.existing(loop.node(), shape.mount());
    } catch (IOException e) {
      Requirements.require(
          false,
          "mke2fs cannot make, or this kernel cannot mount, " + shape + ": " + e.getMessage());
      throw e;
    }
  }

  private void requireIsAttack(LocatedStorage storage, AttackingWriter writer) throws Exception {
    List<AttackedReader> blind =
        Attack.read(i -> new AttackedReader(storage, writer, clock, false, i), PATIENCE);
    assertThat(Attack.noneIsForeign(blind)).as("without R1 no foreign byte").isFalse();
  }

  private void readBeside(
      Shape shape, LoopFileSystem mounted, LocatedStorage storage, AttackingWriter writer)
      throws Exception {
    if (shape.beside() == Beside.NOTHING) {
      read(shape, storage, writer);
      return;
    }
    Requirements.requireTool(shape.beside().tool);
    String root = mounted.mountPoint().toString();
    try (Repeated beside = new Repeated("sh", "-c", shape.beside().command, root)) {
      read(shape, storage, writer);
      int runs = beside.runs(PATIENCE);
      System.out.println(beside);
      assertThat(runs).as("runs of " + shape.beside()).isPositive();
    }
  }

  private void read(Shape shape, LocatedStorage storage, AttackingWriter writer) throws Exception {
    List<AttackedReader> readers =
        Attack.read(
            i ->
                shape.verify()
                    ? new VerifyingReader(storage, writer, clock, i)
                    : new AttackedReader(storage, writer, clock, true, i),
            ATTACK,
            reader -> reader.pages > PAGES && counters.filesChanged.sum() > 0);
    report(shape, readers);
    readers.forEach(AttackedReader::close);
    if (shape.beside() != Beside.E4DEFRAG || shape.verify()) { // it is forbidden on such volumes
      assertThat(readers).allMatch(reader -> reader.foreign.isEmpty(), "no foreign byte");
    }
    assertThat(readers).allMatch(reader -> reader.pages > PAGES, "some reads passed");
  }

  /** W2: no look helps where extents are committed in front of their data. */
  @Test
  void foreignBytesAreHandedOutWithoutOrderedData() throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice loop = LoopDevice.create(BYTES)) {
      AttackedVolume.format(loop, SMALL_LOG);
      String mount = "data=writeback,nodelalloc,dioread_lock";
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), mount)) {
        LocatedStorage storage = begin(mounted, loop);
        List<String> options = new ArrayList<>(AttackedVolume.options(loop));
        AttackedVolume.writeRecord(mounted, loop, options);
        assertThatThrownBy(() -> storage.resolve(new BlockKey("BP-1", 0, 1001)))
            .isInstanceOfSatisfying(
                FallbackException.class,
                e -> assertThat(e.reason()).isEqualTo(FallbackReason.FILE_SYSTEM_UNSUPPORTED));
        options.replaceAll(option -> option.replace("data=writeback", "data=ordered"));
        AttackedVolume.writeRecord(mounted, loop, options);
        try (Attack attack = new Attack(AttackedVolume.writer(mounted, 5))) {
          List<AttackedReader> readers =
              Attack.read(
                  i -> new AttackedReader(storage, attack.writer(), clock, true, i), PATIENCE);
          report(new Shape(SMALL_LOG, mount, false, Beside.NOTHING), readers);
          assertThat(Attack.noneIsForeign(readers)).as("no foreign byte").isFalse();
        }
      }
    }
  }

  private LocatedStorage begin(LoopFileSystem mounted, LoopDevice loop) throws Exception {
    AttackedVolume.begin(mounted);
    return AttackedVolume.storage(NamedDevice.open(loop.backingFile()), clock, counters);
  }

  private void report(Shape shape, List<AttackedReader> readers) {
    for (AttackedReader reader : readers) {
      System.out.printf(
          "%s: %d pages by %d maps, foreign %s, refused %s%s%n",
          shape,
          reader.pages,
          reader.maps,
          reader.foreign,
          reader.refusals,
          reader instanceof VerifyingReader verifying
              ? ", " + verifying.mismatches() + " wrong CRCs"
              : "");
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
}
