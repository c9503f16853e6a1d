// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hashes of names as debugfs computes them, and trees of each. */
final class DirectoryHashTest {
  private static final Pattern HASH = Pattern.compile("is 0x([0-9a-f]+)");
  private static final Pattern SEED = Pattern.compile("Directory Hash Seed: +(\\S+)");

  @TempDir(factory = InMemory.class)
  static Path directory;

  private static Path content;

  @BeforeAll
  static void makeContent() throws IOException {
    Ext4Image.requireTools();
    content = SampleTree.make(Files.createDirectory(directory.resolve("content")));
  }

  @ParameterizedTest
  @CsvSource({"0, legacy", "1, half_md4", "2, tea"})
  void likeDebugfs(int version, String algorithm) throws Exception {
    Ext4Image image = image(algorithm, "-t ext4 -b 1024");
    Ext4Superblock superblock = image.open().superblock();
    Matcher seed = SEED.matcher(image.ask("show_super_stats -h"));
    assertThat(seed.find()).isTrue();
    for (String name : List.of("a", "abcd", "blk_1073741825_1001.meta", "grün", "é".repeat(100))) {
      String request = "dx_hash -s " + seed.group(1) + " -h ";
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);

      assertThat(DirectoryHash.of(superblock, version, bytes))
          .hasValue(hash(image.ask(request + version + " " + name)));
      assertThat(DirectoryHash.of(superblock, version + 3, bytes))
          .hasValue(hash(image.ask(request + (version + 3) + " " + name)));
    }
    assertThat(DirectoryHash.of(superblock, 6, new byte[1])).isEmpty();
  }

  private static int hash(String answer) {
    Matcher hash = HASH.matcher(answer);
    assertThat(hash.find()).as(answer).isTrue();
    return Integer.parseUnsignedInt(hash.group(1), 16);
  }

  @ParameterizedTest
  @CsvSource({"legacy", "half_md4", "tea"})
  void aNameIsFoundInAFewReads(String algorithm) throws Exception {
    Ext4Image image = image(algorithm, "-t ext4 -b 1024");
    MemoryDevice device = new MemoryDevice(Files.readAllBytes(image.file()), 512);
    Ext4Volume volume = Ext4Volume.open(device);
    Inode many = volume.resolve("many");
    assertThat(many.size() / 1024).isGreaterThan(40);
    int before = device.reads();
    for (int i = 0; i < SampleTree.NAMES; i++) {
      volume.child(many, "blk_" + i + "x".repeat(i % 40));
    }
    // Root and leaf, descriptor and inode; names of one hash in two blocks are rare.
    assertThat(device.reads() - before).isLessThan(5 * SampleTree.NAMES);
  }

  private static Ext4Image image(String algorithm, String options) throws IOException {
    Path file = Files.createTempFile(directory, "image", "");
    Ext4Image image = Ext4Image.make(file, content, "32M", options);
    Command.run("tune2fs", "-E", "hash_alg=" + algorithm, file.toString());
    image.check();
    return image;
  }
}
