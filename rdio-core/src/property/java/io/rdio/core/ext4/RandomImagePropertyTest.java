// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
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
    List<String> files = new ArrayList<>();
    fill(content, random, files);
    Path file = directory.resolve("image");
    Ext4Image image = make(file, content, random);
    delete(content);
    DebugfsWalk.compare(image);

    image.change(changes(files, random).toArray(String[]::new));
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

  private static void fill(Path content, Random random, List<String> files) throws IOException {
    List<Path> directories = new ArrayList<>(List.of(content));
    for (int i = 0; i < 300; i++) {
      Path in = directories.get(random.nextInt(directories.size()));
      String name = i + "n".repeat(random.nextInt(200));
      if (random.nextInt(12) == 0) {
        directories.add(Files.createDirectory(in.resolve(name)));
      } else {
        write(in.resolve(name), random);
        files.add("/" + content.relativize(in.resolve(name)));
      }
    }
  }

  private static void write(Path file, Random random) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int runs = random.nextInt(30) == 0 ? 400 : random.nextInt(4); runs > 0; runs--) {
        byte[] run = new byte[1 + random.nextInt(3000)];
        random.nextBytes(run);
        channel.position(channel.position() + random.nextInt(6000)).write(ByteBuffer.wrap(run));
      }
    }
  }

  private static List<String> changes(List<String> files, Random random) {
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      String file = files.get(random.nextInt(files.size()));
      int block = random.nextInt(300);
      changes.add(
          switch (random.nextInt(5)) {
            case 0 -> "rm " + file;
            case 1 -> "fallocate " + file + " " + block + " " + (block + random.nextInt(40));
            case 2 -> "punch " + file + " " + block + " " + (block + random.nextInt(40));
            case 3 -> "mkdir /made" + i;
            default -> "write /proc/version /written" + i;
          });
    }
    return changes;
  }
}
