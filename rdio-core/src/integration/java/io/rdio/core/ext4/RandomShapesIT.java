// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.ext4.journal.LogEnd;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.ScratchFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * File systems with features and mount options picked at random, filled at random by the kernel:
 * while they are mounted, and afterwards, the reader has the kernel's view of all names, inodes and
 * extents, or refuses what it does not read by its name. Of a copy that was made while it was
 * mounted it has, with the copy's log, what the kernel has that replayed it.
 *
 * <p>A few seeds by default, with {@code -Drdio.test.all=true} also inline data; with {@code
 * -Drdio.walk.seed=S} that one only; with {@code -Drdio.walk.seconds=N} one behind the other for so
 * long, from that one on, with inline data by {@code -Drdio.walk.inline-data=true}. What the kernel
 * makes of the same operations need not be the same in all blocks.
 */
@Tag("loop")
@Timeout(value = 1, unit = TimeUnit.DAYS)
final class RandomShapesIT {
  private static final long SECONDS = Long.getLong("rdio.walk.seconds", 0);
  private static final @Nullable Long SEED = Long.getLong("rdio.walk.seed");
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  /** Not by default: Linux 6.18 has faults there that may have it wait for ever. */
  private static final boolean MAY_HAVE_INLINE_DATA =
      ALL || Boolean.getBoolean("rdio.walk.inline-data") || (SECONDS == 0 && SEED != null);

  /** No types; bigalloc; neither extents nor a log; no trees; a log of 1 MiB; data=journal. */
  private static final long[] SEEDS = {1008, 1009, 1019, 1024, 1034, 1030};

  /** Inline data. */
  private static final long INLINE_DATA_SEED = 1036;

  private static final long BYTES = 128L << 20;
  private static final int ROUNDS = 2;
  private static final int OPERATIONS = 250;
  private static final int CROWD = 2000;

  /** Of shapes that mke2fs or the kernel refuses, one behind the other. */
  private static final int ATTEMPTS = 100;

  /** Of the mounted file system, until one has a change that only its log has. */
  private static final int COPIES = 10;

  /** The root's, in turn: each is a change. */
  private static final List<String> MODES = List.of("rwx------", "rwxr-x---");

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  static LongStream seeds() {
    if (SECONDS == 0 && SEED == null) {
      LongStream seeds = LongStream.of(SEEDS);
      return ALL ? LongStream.concat(seeds, LongStream.of(INLINE_DATA_SEED)) : seeds;
    }
    if (SECONDS == 0) {
      return LongStream.of(SEED);
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    return LongStream.iterate(SEED == null ? 1 : SEED, seed -> seed + 1)
        .takeWhile(seed -> System.nanoTime() - end < 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theReaderHasTheKernelsView(long seed) throws Exception {
    Requirements.requireLoop("ext4");
    Ext4Image.requireTools();
    // Seeds side by side would make shapes that are much alike.
    Random random = new Random(new SplittableRandom(seed).nextLong());
    IOException refused = new IOException("not tried");
    try (LoopDevice loop = LoopDevice.create(BYTES)) {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        RandomShape shape = RandomShape.pick(random);
        if (shape.hasInlineData() && !MAY_HAVE_INLINE_DATA) {
          continue;
        }
        LoopFileSystem mounted;
        Set<String> features;
        try {
          shape.make(loop.node());
          features = RandomShape.featuresOf(loop.node());
          mounted = LoopFileSystem.existing(loop.node(), shape.mount());
        } catch (IOException e) {
          refused = e; // not all features go together, nor is each known to each kernel
          continue;
        }
        try (mounted) {
          System.out.println("seed " + seed + ": " + shape);
          RandomFiller filler = new RandomFiller(mounted.mountPoint(), random);
          filler.crowd(CROWD);
          String refusal = shape.refusedWhileMounted(features);
          if (refusal.isEmpty()) {
            compare(new Shown(mounted, loop.backingFile(), shape.mount(), features), filler);
          } else {
            KernelView view = filledView(mounted, filler, hasContent(features));
            compareRefused(mounted, loop.backingFile(), view, refusal);
          }
        }
        return;
      }
    }
    throw new AssertionError("none of " + ATTEMPTS + " shapes could be made and mounted", refused);
  }

  /**
   * A file system that the kernel shows.
   *
   * @param options of its mount
   */
  private record Shown(LoopFileSystem mounted, Path image, String options, Set<String> features) {
    boolean hasJournal() {
      return features.contains("has_journal");
    }

    boolean withContent() {
      return hasContent(features);
    }
  }

  private static void compare(Shown shown, RandomFiller filler) throws Exception {
    Reader reader = new Reader(shown.image(), shown.hasJournal());
    KernelView view = filledView(shown.mounted(), filler, shown.withContent());
    reader.compareMounted(view);
    if (shown.hasJournal()) {
      filler.change(OPERATIONS);
      compareCopy(shown);
    }
    for (int round = 1; round < ROUNDS; round++) {
      view = filledView(shown.mounted(), filler, shown.withContent());
      reader.compareMounted(view);
    }
    assertThat(view.refused() > 0).as("refusals").isEqualTo(!shown.withContent());
    assertThat(view.indexed() > 0).isEqualTo(shown.features().contains("dir_index"));
    shown.mounted().unmount();
    reader.compareUnmounted(view);
  }

  /** As the device is left by a host that dies when it has just committed. */
  private static void compareCopy(Shown shown) throws Exception {
    try (ScratchFolder folder = ScratchFolder.make("copy")) {
      Path read = folder.path().resolve("read");
      Ext4Volume home = copyAheadOfHome(shown, read);
      Path replayed = copy(read, folder.path().resolve("replayed"));
      assertThat(home.superblock().features().has(Feature.RECOVER)).isTrue();
      assertThat(Journal.open(home).size()).as("blocks in the copy's log").isPositive();
      try (LoopDevice loop = LoopDevice.attach(replayed);
          LoopFileSystem fs = LoopFileSystem.existing(loop.node(), shown.options() + ",ro")) {
        KernelView view = KernelView.of(fs.mountPoint(), shown.withContent());
        assertThat(view.size()).isGreaterThan(OPERATIONS / 10);
        view.compare(Journal.over(home));
      }
    }
  }

  /**
   * Makes a copy whose root has the mode that was committed last by the log only. The kernel may
   * write blocks home whenever it likes once they are committed, also before the copy is made: then
   * another mode is committed.
   *
   * @return the copy without its log
   */
  private static Ext4Volume copyAheadOfHome(Shown shown, Path to) throws Exception {
    for (int i = 0; i < COPIES; i++) {
      int committed = commitRoot(shown.mounted().mountPoint(), MODES.get(i % MODES.size()));
      Ext4Volume home = Ext4Volume.open(NamedDevice.open(copy(shown.image(), to)));
      if (home.root().mode() != committed) {
        return home;
      }
    }
    throw new AssertionError("the root was home in each of " + COPIES + " copies");
  }

  /**
   * Commits all changes so far, of which that of the root's mode is the last one. Unlike a sync of
   * the file system it writes none of them home.
   *
   * @return the mode with the type, as the inode has it
   */
  private static int commitRoot(Path root, String permissions) throws IOException {
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString(permissions));
    try (FileChannel channel = FileChannel.open(root, StandardOpenOption.READ)) {
      channel.force(true);
    }
    return (Integer) Files.getAttribute(root, "unix:mode");
  }

  private static Path copy(Path image, Path to) throws IOException {
    Command.run("timeout", "120", "cp", "--sparse=always", image.toString(), to.toString());
    return to;
  }

  /** Whoever has followed the file system since it was mounted, and who opens it just then. */
  private static final class Reader {
    private final BlockDevice device;
    private final @Nullable Journal journal;
    private final Ext4Volume followed;
    private int copies;

    Reader(Path image, boolean hasJournal) throws Exception {
      device = NamedDevice.open(image);
      Ext4Volume home = Ext4Volume.open(device);
      journal = hasJournal ? Journal.open(home) : null;
      followed = journal == null ? home : home.seenBy(journal);
    }

    void compareMounted(KernelView view) throws Exception {
      if (journal != null) {
        catchUp(journal);
        copies += journal.size();
      }
      view.compare(followed);
      view.compare(Journal.over(Ext4Volume.open(device)));
    }

    /** A commit that is just being written is no end to be relied on. */
    private static void catchUp(Journal journal) throws Ext4Exception {
      long since = System.nanoTime();
      while (!journal.catchUp().isProper()) {
        assertThat(System.nanoTime() - since).isLessThan(PATIENCE_NANOS);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }

    void compareUnmounted(KernelView view) throws Exception {
      if (journal != null) {
        assertThat(copies).as("blocks that were in the log only").isPositive();
        assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
        assertThat(journal.size()).isZero();
        assertThat(journal.isMountedAnew()).isFalse();
      }
      view.compare(followed);
      view.compare(Ext4Volume.open(device));
    }
  }

  /**
   * Whether files have the content that the kernel shows. Of files that had inline data Linux 6.18
   * does not write all that it has in memory, with data=journal: after a crash it has itself what
   * the reader has.
   */
  private static boolean hasContent(Set<String> features) {
    return !features.contains("inline_data");
  }

  /** What is refused while it is in use is read afterwards, when its log is empty. */
  private static void compareRefused(
      LoopFileSystem mounted, Path image, KernelView view, String refusal) throws Exception {
    BlockDevice device = NamedDevice.open(image);
    assertThatThrownBy(() -> Journal.over(Ext4Volume.open(device)))
        .isInstanceOf(Ext4Exception.class)
        .hasMessage("UNSUPPORTED: feature " + refusal);
    mounted.unmount();
    view.compare(Journal.over(Ext4Volume.open(device)));
  }

  private static KernelView filledView(
      LoopFileSystem mounted, RandomFiller filler, boolean withContent) throws IOException {
    filler.change(OPERATIONS);
    Command.run("timeout", "120", "sync", "-f", mounted.mountPoint().toString());
    KernelView view = KernelView.of(mounted.mountPoint(), withContent);
    assertThat(view.size()).isGreaterThan(OPERATIONS / 10);
    return view;
  }
}
