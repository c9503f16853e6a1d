// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.ScratchFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Images to be damaged that others than {@link HostileImage} have thought of: those of e2fsprogs,
 * and forms of ext4 picked at random, filled and changed at random without a mount.
 */
final class CollectedImages {
  static final int SHAPES = 12;
  static final long SEED = 20_261_128;

  private static final long BYTES = 32L << 20;
  private static final int NAMES = 150;
  private static final int CHANGES = 60;
  private static final int LOGGED_CHANGES = 20;

  /** Of shapes that mke2fs refuses, one behind the other. */
  private static final int ATTEMPTS = 100;

  private CollectedImages() {}

  /** All images of e2fsprogs, however large; none where they were not fetched. */
  static List<HostileImage> ofE2fsprogs() throws IOException {
    List<HostileImage> images = new ArrayList<>();
    for (Path packed : E2fsprogsImages.packed()) {
      try (InputStream in = E2fsprogsImages.open(packed)) {
        images.add(HostileImage.readAny(in));
      }
    }
    return images;
  }

  /** Random forms, each of which it prints. By the same seed they are always the same. */
  static List<HostileImage> shapes(int count, long seed) throws IOException, Ext4Exception {
    Random random = new Random(seed);
    List<HostileImage> images = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try (ScratchFolder folder = ScratchFolder.make("shape")) {
        Path file = folder.path().resolve("image");
        Path content = Files.createDirectory(folder.path().resolve("content"));
        RandomContent filled = RandomContent.fill(content, NAMES, random);
        RandomShape shape = make(file, content, random);
        images.add(changed(new Ext4Image(file), shape, filled, random));
        System.out.println("seed " + seed + ", image " + i + ": " + shape);
      }
    }
    return images;
  }

  private static RandomShape make(Path file, Path content, Random random) throws IOException {
    IOException refused = new IOException("not tried");
    for (int i = 0; i < ATTEMPTS; i++) {
      Files.deleteIfExists(file);
      try (RandomAccessFile empty = new RandomAccessFile(file.toFile(), "rw")) {
        empty.setLength(BYTES);
      }
      RandomShape shape = RandomShape.pick(random);
      try {
        shape.make(file, "-d", content.toString());
        return shape;
      } catch (IOException e) {
        refused = e; // not all features go together
      }
    }
    throw refused;
  }

  /**
   * Changes it, may have e2fsck make trees of its directories, and may leave changes in its log.
   */
  private static HostileImage changed(
      Ext4Image image, RandomShape shape, RandomContent filled, Random random)
      throws IOException, Ext4Exception {
    image.change(filled.changes(CHANGES));
    if (random.nextBoolean()) {
      image.check();
    }
    Set<String> features = RandomShape.featuresOf(image.file());
    boolean logged = features.contains("has_journal") && random.nextInt(4) > 0;
    boolean signed =
        logged
            && !features.contains("inline_data")
            && !features.contains("fast_commit")
            && Signatures.areKnown(image.open().superblock());
    if (logged) {
      String open = signed ? "jo -c -v " + (2 + random.nextInt(2)) : "jo";
      LogImage log = new LogImage(image, shape.blockSize(), open);
      log.commit(filled.changes(LOGGED_CHANGES));
    }
    if (signed) {
      return HostileImage.readSigned(image.file());
    }
    try (InputStream in = Files.newInputStream(image.file())) {
      return HostileImage.readAny(in);
    }
  }
}
