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

  /**
   * Has all sizes of blocks, bigalloc, block maps, meta_bg, and logs with and without checksums.
   */
  static final long SEED = 2000;

  private static final long BYTES = 32L << 20;
  private static final int NAMES = 150;
  private static final int CHANGES = 60;
  private static final int LOGGED_CHANGES = 20;

  /** Of shapes, some of which the tools refuse. */
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

  /** Random forms, each of which it prints. By the same seed and tools they are the same. */
  static List<HostileImage> shapes(int count, long seed) throws IOException, Ext4Exception {
    Random random = new Random(seed);
    List<HostileImage> images = new ArrayList<>();
    IOException refused = new IOException("not tried");
    for (int attempt = 0; attempt < ATTEMPTS && images.size() < count; attempt++) {
      RandomShape shape = RandomShape.pick(random);
      try (ScratchFolder folder = ScratchFolder.make("shape")) {
        HostileImage image = make(shape, folder.path(), random);
        System.out.println("seed " + seed + ", image " + images.size() + ": " + shape);
        images.add(image);
      } catch (IOException e) {
        refused = e; // not all features go together
      }
    }
    if (images.size() < count) {
      throw refused;
    }
    return images;
  }

  private static HostileImage make(RandomShape shape, Path folder, Random random)
      throws IOException, Ext4Exception {
    Path file = folder.resolve("image");
    try (RandomAccessFile empty = new RandomAccessFile(file.toFile(), "rw")) {
      empty.setLength(BYTES);
    }
    Path content = Files.createDirectory(folder.resolve("content"));
    RandomContent filled = RandomContent.fill(content, NAMES, random);
    shape.make(file, "-d", content.toString());
    return changed(new Ext4Image(file), shape, filled, random);
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
            && Signatures.areKnown(image.device());
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
