// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All names, extents and bytes of an image, compared with what debugfs says of them. */
final class DebugfsWalk {
  private static final Pattern LEAF =
      Pattern.compile(
          " *\\d+/ *\\d+ +\\d+/ *\\d+ +(\\d+) - +\\d+ +(\\d+) - +\\d+ +(\\d+) *(Uninit)?");
  private static final Pattern NAME = Pattern.compile("/(\\d+)/\\d+/\\d+/\\d+/(.*)/\\d*/");

  private final Ext4Image image;
  private final Ext4Volume volume;
  private final Map<Long, Inode> inodes = new TreeMap<>();

  private DebugfsWalk(Ext4Image image, Ext4Volume volume) {
    this.image = image;
    this.volume = volume;
  }

  /**
   * Walks the image from its root; fails at the first difference.
   *
   * @return inodes seen
   */
  static int compare(Ext4Image image) throws IOException, Ext4Exception {
    DebugfsWalk walk = new DebugfsWalk(image, image.open());
    walk.collect(walk.volume.resolve("/"));
    walk.compareNames();
    walk.compareExtents();
    walk.compareBytes();
    return walk.inodes.size();
  }

  private void collect(Inode inode) throws Ext4Exception {
    if (inodes.putIfAbsent(inode.number(), inode) == null && inode.type() == InodeType.DIRECTORY) {
      for (DirectoryEntry entry : volume.list(inode)) {
        collect(volume.inode(entry.inode()));
      }
    }
  }

  private List<Inode> ofType(InodeType type) {
    return inodes.values().stream().filter(inode -> inode.type() == type).toList();
  }

  private void compareNames() throws IOException, Ext4Exception {
    List<Inode> directories = ofType(InodeType.DIRECTORY);
    List<String> answers = image.askAll(requests("ls -p", directories));
    for (int i = 0; i < directories.size(); i++) {
      List<String> names = new ArrayList<>();
      for (Matcher name = NAME.matcher(answers.get(i)); name.find(); ) {
        if (!name.group(1).equals("0")) {
          names.add(name.group(1) + " " + name.group(2));
        }
      }
      assertThat(
              volume.list(directories.get(i)).stream()
                  .map(entry -> entry.inode() + " " + entry.name()))
          .as("names in %s", directories.get(i))
          .containsExactlyElementsOf(names);
    }
  }

  /** Of those that have extents: debugfs does not show runs of others. */
  private void compareExtents() throws IOException, Ext4Exception {
    List<Inode> mapped =
        inodes.values().stream().filter(inode -> inode.has(Inode.FLAG_EXTENTS)).toList();
    List<String> answers = image.askAll(requests("ex -l", mapped));
    for (int i = 0; i < mapped.size(); i++) {
      assertThat(extents(mapped.get(i)))
          .as("extents of %s", mapped.get(i))
          .isEqualTo(leaves(answers.get(i)));
    }
  }

  private List<FileExtent> extents(Inode inode) throws Ext4Exception {
    return inode.type() == InodeType.SYMLINK
        ? ExtentTree.extents(volume.superblock(), volume.blocks(), inode)
        : volume.extents(inode);
  }

  private static List<FileExtent> leaves(String answer) {
    List<FileExtent> extents = new ArrayList<>();
    for (Matcher leaf = LEAF.matcher(answer); leaf.find(); ) {
      extents.add(
          new FileExtent(
              Long.parseLong(leaf.group(1)),
              Long.parseLong(leaf.group(2)),
              Long.parseLong(leaf.group(3)),
              leaf.group(4) != null));
    }
    return extents;
  }

  private void compareBytes() throws IOException, Ext4Exception {
    Path directory = Files.createTempDirectory(image.file().getParent(), "dumped");
    List<Inode> files = ofType(InodeType.FILE);
    image.askAll(
        files.stream()
            .map(inode -> "dump <" + inode.number() + "> " + dumped(directory, inode))
            .toList());
    for (Inode inode : files) {
      Path file = dumped(directory, inode);
      assertThat(bytes(volume, inode)).as("bytes of %s", inode).isEqualTo(Files.readAllBytes(file));
      Files.delete(file);
    }
    Files.delete(directory);
  }

  private static Path dumped(Path directory, Inode inode) {
    return directory.resolve("inode" + inode.number());
  }

  private static List<String> requests(String request, List<Inode> inodes) {
    return inodes.stream().map(inode -> request + " <" + inode.number() + ">").toList();
  }

  static byte[] bytes(Ext4Volume volume, Inode inode) throws Ext4Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FileContent file = new FileContent(volume, inode);
    for (ByteBuffer next = file.next(); next.hasRemaining(); next = file.next()) {
      byte[] bytes = new byte[next.remaining()];
      next.get(bytes);
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }
}
