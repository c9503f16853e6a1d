// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of mke2fs with all kinds of features: the folder that they were made from, read back. */
final class Ext4VolumeTest {
  @TempDir(factory = InMemory.class)
  static Path directory;

  private static Path content;

  @BeforeAll
  static void makeContent() throws IOException {
    Ext4Image.requireTools();
    content = SampleTree.make(Files.createDirectory(directory.resolve("content")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-t ext4 -b 1024",
        "-t ext4 -b 2048",
        "-t ext4 -b 4096",
        "-t ext4 -b 65536",
        "-t ext4 -b 1024 -O ^64bit",
        "-t ext4 -b 1024 -O ^64bit,^flex_bg -g 1024",
        "-t ext4 -b 1024 -O ^metadata_csum,uninit_bg",
        "-t ext4 -b 1024 -O ^64bit,^metadata_csum,uninit_bg",
        "-t ext4 -b 1024 -O ^metadata_csum,^uninit_bg",
        "-t ext4 -b 4096 -O metadata_csum_seed",
        "-t ext4 -b 4096 -O bigalloc -C 16384",
        "-t ext4 -b 1024 -O bigalloc -C 4096",
        "-t ext4 -b 1024 -O meta_bg,^resize_inode -g 512",
        "-t ext4 -b 1024 -O bigalloc,meta_bg,^resize_inode -C 2048 -g 2048",
        "-t ext4 -b 4096 -O ^flex_bg -g 1024",
        "-t ext4 -b 1024 -O sparse_super2,^sparse_super,^resize_inode -g 1024",
        "-t ext4 -b 1024 -O large_dir",
        "-t ext4 -b 4096 -O orphan_file,quota,project",
        "-t ext4 -b 1024 -O ^filetype",
        "-t ext4 -b 1024 -O ^dir_index",
        "-t ext4 -b 4096 -I 128",
        "-t ext4 -b 4096 -I 1024",
        "-t ext4 -b 4096 -O encrypt,casefold,ea_inode,verity",
        "-t ext3 -b 1024",
        "-t ext3 -b 4096",
        "-t ext2 -b 1024 -r 0",
      })
  void sameNamesSizesExtentsAndBytes(String options) throws Exception {
    boolean large = options.contains("65536");
    Path file = Files.createTempFile(directory, "image", "");
    Ext4Image image = Ext4Image.make(file, content, large ? "128M" : "32M", options);
    image.check();
    assertSame(image);
    Files.delete(file);
  }

  private static void assertSame(Ext4Image image) throws Exception {
    assertThat(DebugfsWalk.compare(image)).isGreaterThan(SampleTree.NAMES);
    Ext4Volume volume = image.open();
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(content)) {
      paths = walk.toList();
    }
    for (Path path : paths) {
      String name = content.relativize(path).toString();
      // Of many names, some are enough: their directory is searched for each.
      if (!name.contains("many/") || name.hashCode() % 50 == 0) {
        assertSame(volume, volume.resolve(name), path);
      }
    }
  }

  private static void assertSame(Ext4Volume volume, Inode inode, Path path) throws Exception {
    if (Files.isSymbolicLink(path)) {
      assertThat(inode.type()).isEqualTo(InodeType.SYMLINK);
    } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      assertThat(inode.type()).isEqualTo(InodeType.DIRECTORY);
      assertThat(names(volume, inode)).isEqualTo(names(path));
    } else {
      assertThat(inode.type()).isEqualTo(InodeType.FILE);
      assertThat(inode.size()).isEqualTo(Files.size(path));
      assertThat(DebugfsWalk.bytes(volume, inode)).isEqualTo(Files.readAllBytes(path));
    }
  }

  private static Set<String> names(Path path) throws IOException {
    try (Stream<Path> list = Files.list(path)) {
      Set<String> names =
          list.map(each -> each.getFileName().toString())
              .collect(Collectors.toCollection(TreeSet::new));
      if (path.equals(content)) {
        names.add("lost+found");
      }
      return names;
    }
  }

  private static Set<String> names(Ext4Volume volume, Inode directory) throws Ext4Exception {
    List<DirectoryEntry> entries = volume.list(directory);
    assertThat(entries.stream().filter(DirectoryEntry::isDots)).hasSize(2);
    return entries.stream()
        .filter(entry -> !entry.isDots())
        .map(DirectoryEntry::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void deepTreesAndReservedBlocks() throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("deep"), content, "32M", "-t ext4 -b 1024");
    image.change("fallocate /a/b/c/d/plain 400 500", "set_inode_field /empty generation 77");
    Ext4Volume volume = image.open();

    assertThat(image.ask("ex /scattered")).contains(" 2/ 2 ");
    Inode plain = volume.resolve("/a/b/c/d/plain");
    List<FileExtent> extents = volume.extents(plain);
    DebugfsWalk.compare(image);
    FileExtent last = extents.get(extents.size() - 1);
    assertThat(last.unwritten()).isTrue();
    assertThat(last.end()).isEqualTo(501);
    assertThat(volume.resolve("/empty").generation()).isEqualTo(77);
  }

  @Test
  void withoutTypesTheByteOfATypeIsNoPartOfALength() throws Exception {
    String options = "-t ext4 -b 1024 -O ^filetype,^metadata_csum";
    Ext4Image image = Ext4Image.make(directory.resolve("untyped"), content, "32M", options);
    Ext4Volume before = image.open();
    byte[] bytes = Files.readAllBytes(image.file());
    int block = (int) before.extents(before.root()).get(0).physical();
    ByteBuffer entries =
        ByteBuffer.wrap(bytes, block * 1024, 1024).slice().order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < 1024; at += DirectoryBlock.lengthAt(entries, at)) {
      entries.put(at + 7, (byte) 2); // as Linux leaves what was there
    }
    Files.write(image.file(), bytes);

    Ext4Volume volume = image.open();
    assertThat(volume.list(volume.root()))
        .isEqualTo(before.list(before.root()))
        .hasSizeGreaterThan(5);
    assertSame(image);
  }

  @Test
  void directoriesWithoutATree() throws Exception {
    // With mmp e2fsck, which makes trees, would wait for 10 s.
    assertSame(Ext4Image.make(directory.resolve("list"), content, "32M", "-t ext4 -b 1024 -O mmp"));
  }

  @Test
  void theSeedOutlivesTheUuid() throws Exception {
    Ext4Image image =
        Ext4Image.make(directory.resolve("seed"), content, "32M", "-t ext4 -O metadata_csum_seed");
    var before = image.open().superblock().uuid();
    image.change("set_super_value uuid 0a1b2c3d-4e5f-4061-8293-a4b5c6d7e8f9");

    assertThat(image.open().superblock().uuid()).isNotEqualTo(before);
    assertSame(image);
  }

  @Test
  void whatIsNotThere() throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("absent"), content, "32M", "-t ext4");
    Ext4Volume volume = image.open();

    assertThat(refusal(() -> volume.resolve("/a/x/y"))).startsWith("NOT_FOUND: x in");
    assertThat(refusal(() -> volume.resolve("/empty/x"))).contains("NOT_FOUND", "no directory");
    assertThat(refusal(() -> volume.resolve("/empty/"))).contains("NOT_FOUND", "no directory");
    assertThat(refusal(() -> volume.resolve("/short-link/"))).contains("UNSUPPORTED", "symlink");
    assertThat(volume.resolve("/a/").number()).isEqualTo(volume.resolve("a").number());
    assertThat(refusal(() -> volume.resolve("n".repeat(256)))).startsWith("NOT_FOUND");
    assertThat(refusal(() -> volume.inode(0))).startsWith("NOT_FOUND");
    assertThat(refusal(() -> volume.inode(1L << 32))).startsWith("NOT_FOUND");
    assertThat(refusal(() -> volume.inode(volume.superblock().inodeCount())))
        .contains("NOT_FOUND", "is free");
    assertThat(refusal(() -> volume.resolve("/short-link/c"))).contains("UNSUPPORTED", "symlink");
    assertThat(refusal(() -> volume.extents(volume.resolve("/short-link"))))
        .contains("UNSUPPORTED", "symlink");
    assertThat(refusal(() -> volume.resolve("a/../".repeat(200)))).contains("256 names");
    assertThat(volume.resolve("/a/../a/./b").number()).isEqualTo(volume.resolve("a/b").number());
  }

  @Test
  void inlineDataIsRefusedByNameWhereItIs() throws Exception {
    Ext4Image image =
        Ext4Image.make(directory.resolve("inline"), content, "32M", "-t ext4 -O inline_data");
    Ext4Volume volume = image.open();

    assertThat(refusal(() -> volume.list(volume.resolve("/a")))).contains("inline_data");
    assertThat(volume.resolve("/scattered").size()).isPositive();
  }

  @Test
  void encryptionAndCasefoldAreRefusedByNameWhereTheyAre() throws Exception {
    Ext4Image image =
        Ext4Image.make(directory.resolve("flags"), content, "32M", "-t ext4 -O encrypt,casefold");
    image.change("set_inode_field /scattered flags 0x80800", "set_inode_field /a flags 0x40080000");
    Ext4Volume volume = image.open();

    assertThat(refusal(() -> volume.extents(volume.resolve("/scattered"))))
        .contains("UNSUPPORTED", "encrypt");
    assertThat(refusal(() -> volume.resolve("/a/b"))).contains("UNSUPPORTED", "casefold");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FEATURE_I30", "FEATURE_I3", "dirdata", "compression"})
  void featuresThatChangeEverythingAreRefusedByName(String feature) throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("unknown"), content, "32M", "-t ext4");
    image.change("feature " + feature);
    String name = feature.equals("FEATURE_I3") ? "journal_dev" : feature;

    assertThat(refusal(image::open)).contains("UNSUPPORTED", name);
  }

  @Test
  void fastCommitsAreRefusedWhileThereMayBeAny() throws Exception {
    Ext4Image image =
        Ext4Image.make(directory.resolve("fast"), content, "64M", "-t ext4 -O fast_commit");
    assertSame(image);
    image.change("feature needs_recovery");

    assertThat(refusal(image::open)).contains("UNSUPPORTED", "fast_commit");
  }

  @Test
  void sizesThatNoMappingReachesAreRefused() throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("long"), content, "32M", "-t ext4 -b 1024");
    image.change("set_inode_field /empty size 0x40000000000");
    assertThat(image.open().resolve("/empty").size()).isEqualTo(1L << 42);
    image.change("set_inode_field /empty size 0x40000000001");

    assertThat(refusal(() -> image.open().resolve("/empty"))).contains("DAMAGED", "size");
  }

  @Test
  void directoriesThatGoOnBehindTheirSizeAreRefused() throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("half"), content, "32M", "-t ext4 -b 1024");
    for (int size : new int[] {0, 1024, 1000}) {
      image.change("set_inode_field /many size " + size);
      assertThat(refusal(() -> image.open().list(image.open().resolve("/many"))))
          .contains("DAMAGED", "a directory of " + size + " bytes");
    }
  }

  @Test
  void descriptorsThatAreNowhereAreRefused() throws Exception {
    Ext4Image image =
        Ext4Image.make(
            directory.resolve("meta"), content, "32M", "-t ext4 -O meta_bg,^resize_inode");
    image.change("set_super_value first_meta_bg 10000");

    assertThat(refusal(image::open)).contains("DAMAGED", "group descriptors");
  }

  @Test
  void aDeviceThatIsTooSmallIsRefused() throws Exception {
    Ext4Image image = Ext4Image.make(directory.resolve("cut"), content, "32M", "-t ext4");
    byte[] bytes = Files.readAllBytes(image.file());
    byte[] cut = java.util.Arrays.copyOf(bytes, bytes.length - 4096);
    Files.write(image.file(), cut);

    assertThat(refusal(image::open)).contains("DAMAGED", "the device is smaller");
    Files.write(image.file(), new byte[1024]);
    assertThat(refusal(image::open)).contains("DAMAGED", "too small");
  }

  /** A question that has no answer. */
  private interface Question {
    void ask() throws Exception;
  }

  private static String refusal(Question question) {
    Ext4Exception e = catchThrowableOfType(Ext4Exception.class, question::ask);
    assertThat(e.getMessage()).startsWith(e.kind() + ": ");
    return e.getMessage();
  }
}
