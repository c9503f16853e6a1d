// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/** Images with features picked at random, filled and changed at random: as debugfs sees them. */
final class RandomImagePropertyTest {
  private static final List<String> FEATURES =
      List.of(
          "^64bit",
          "^metadata_csum",
          "metadata_csum_seed",
          "bigalloc",
          "meta_bg,^resize_inode",
          "^flex_bg",
          "large_dir",
          "orphan_file",
          "^dir_index",
          "^filetype",
          "^huge_file",
          "^has_journal",
          "^extra_isize",
          "sparse_super2,^sparse_super,^resize_inode",
          "ea_inode",
          "quota",
          "^extent,^64bit",
          "uninit_bg");

  /** Room for more long files than 300 tries ever bring. */
  private static final String SIZE = "48M";

  private Path directory = Path.of("");

  @BeforeProperty
  void start() throws IOException {
    for (String tool : List.of("mke2fs", "debugfs", "e2fsck")) {
      Requirements.requireTool(tool);
    }
    directory = Files.createTempDirectory("random-images");
  }

  @AfterProperty
  void end() throws IOException {
    delete(directory);
  }

  private static void delete(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @Property(tries = 7, shrinking = ShrinkingMode.OFF)
  void asDebugfsSeesIt(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    Path content = Files.createTempDirectory(directory, "content");
    RandomContent filled = RandomContent.fill(content, 300, random);
    Path file = directory.resolve("image");
    Ext4Image image = make(file, content, random);
    delete(content);
    DebugfsWalk.compare(image);

    image.change(filled.changes(150));
    DebugfsWalk.compare(image);
    image.check();
    DebugfsWalk.compare(image);
  }

  /** With what is picked first and can be had together. */
  private static Ext4Image make(Path file, Path content, Random random) throws IOException {
    int blockSize = 1024 << random.nextInt(3);
    int inodeSize = 128 << random.nextInt(3);
    String options = "-t ext4 -N 4000 -b " + blockSize + " -I " + inodeSize;
    StringBuilder picked = new StringBuilder("none");
    for (int i = random.nextInt(5); i > 0; i--) {
      picked.append(',').append(FEATURES.get(random.nextInt(FEATURES.size())));
    }
    String features = picked.toString().replace("none,", "");
    try {
      String groups = random.nextBoolean() ? " -g " + 8 * (50 + random.nextInt(70)) : "";
      String chosen = features.equals("none") ? "" : " -O " + features;
      return Ext4Image.make(file, content, SIZE, options + groups + chosen);
    } catch (IOException e) {
      // Not all features go together.
      return Ext4Image.make(file, content, SIZE, options);
    }
  }
}
