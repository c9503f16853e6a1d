// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All names, extents and bytes of an image, compared with what debugfs says of them. */
public final class DebugfsWalk {
  private static final Pattern LEAF =
      Pattern.compile(
          " *\\d+/ *\\d+ +\\d+/ *\\d+ +(\\d+) - +\\d+ +(\\d+) - +\\d+ +(\\d+) *(Uninit)?");
  private static final Pattern NAME = Pattern.compile("/(\\d+)/\\d+/\\d+/\\d+/(.*)/\\d*/");
  private static final long MAX_BYTES = 64 << 20;

  private final Ext4Image image;
  private final Ext4Volume volume;
  private final Refusal refusal;
  private final Map<Long, Inode> inodes = new TreeMap<>();
  private final Map<Long, List<DirectoryEntry>> names = new TreeMap<>();

  private DebugfsWalk(Ext4Image image, Ext4Volume volume, Refusal refusal) {
    this.image = image;
    this.volume = volume;
    this.refusal = refusal;
  }

  /** What becomes of a question that the reader does not answer. */
  public interface Refusal {
    /** Throws it, or keeps it. */
    void take(Ext4Exception e) throws Ext4Exception;
  }

  /**
   * Walks the image from its root; fails at the first difference, and at the first refusal.
   *
   * @return inodes seen
   */
  static int compare(Ext4Image image) throws IOException, Ext4Exception {
    return compare(
        image,
        image.open(),
        e -> {
          throw e;
        });
  }

  /**
   * Walks from the root what the reader answers; fails at the first difference.
   *
   * @param volume what should be as debugfs sees the image
   * @return inodes seen
   */
  public static int compare(Ext4Image image, Ext4Volume volume, Refusal refusal)
      throws IOException, Ext4Exception {
    DebugfsWalk walk = new DebugfsWalk(image, volume, refusal);
    walk.collect(volume.resolve("/"));
    walk.compareNames();
    walk.compareExtents();
    walk.compareBytes();
    return walk.inodes.size();
  }

  private void collect(Inode root) throws Ext4Exception {
    Queue<Inode> queue = new ArrayDeque<>(List.of(root));
    inodes.put(root.number(), root);
    for (Inode inode = queue.poll(); inode != null; inode = queue.poll()) {
      if (inode.type() == InodeType.DIRECTORY) {
        for (DirectoryEntry entry : list(inode)) {
          if (!inodes.containsKey(entry.inode())) {
            collect(entry, queue);
          }
        }
      }
    }
  }

  private void collect(DirectoryEntry entry, Queue<Inode> queue) throws Ext4Exception {
    try {
      Inode inode = volume.inode(entry.inode());
      inodes.put(inode.number(), inode);
      queue.add(inode);
    } catch (Ext4Exception e) {
      refusal.take(e);
    }
  }

  private List<DirectoryEntry> list(Inode directory) throws Ext4Exception {
    try {
      List<DirectoryEntry> entries = volume.list(directory);
      names.put(directory.number(), entries);
      return entries;
    } catch (Ext4Exception e) {
      refusal.take(e);
      return List.of();
    }
  }

  /** Of inodes that the reader answers: debugfs leaves out names whose inode it cannot read. */
  private void compareNames() throws IOException {
    List<Inode> directories = names.keySet().stream().map(inodes::get).toList();
    List<String> answers = image.askAll(requests("ls -p", directories));
    for (int i = 0; i < directories.size(); i++) {
      List<String> expected = new ArrayList<>();
      for (Matcher name = NAME.matcher(answers.get(i)); name.find(); ) {
        if (inodes.containsKey(Long.valueOf(name.group(1)))) {
          expected.add(name.group(1) + " " + name.group(2));
        }
      }
      assertThat(
              names.get(directories.get(i).number()).stream()
                  .filter(entry -> inodes.containsKey(entry.inode()))
                  .map(entry -> entry.inode() + " " + entry.name()))
          .as("names in %s", directories.get(i))
          .containsExactlyElementsOf(expected);
    }
  }

  /** Of those that have extents: debugfs does not show runs of others. */
  private void compareExtents() throws IOException, Ext4Exception {
    List<Inode> mapped = new ArrayList<>();
    List<List<FileExtent>> found = new ArrayList<>();
    for (Inode inode : inodes.values()) {
      if (inode.has(Inode.FLAG_EXTENTS)) {
        try {
          found.add(extents(inode));
          mapped.add(inode);
        } catch (Ext4Exception e) {
          refusal.take(e);
        }
      }
    }
    List<String> answers = image.askAll(requests("ex -l", mapped));
    for (int i = 0; i < mapped.size(); i++) {
      assertThat(found.get(i)).as("extents of %s", mapped.get(i)).isEqualTo(leaves(answers.get(i)));
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
    Map<Inode, byte[]> files = new LinkedHashMap<>();
    for (Inode inode : inodes.values()) {
      boolean hasBytes = inode.size() > 0 && inode.size() <= MAX_BYTES;
      if (inode.type() == InodeType.FILE && hasBytes) {
        try {
          files.put(inode, bytes(volume, inode));
        } catch (Ext4Exception e) {
          refusal.take(e);
        }
      }
    }
    Path directory = Files.createTempDirectory(image.file().getParent(), "dumped");
    image.askAll(
        files.keySet().stream()
            .map(inode -> "dump <" + inode.number() + "> " + dumped(directory, inode))
            .toList());
    for (Map.Entry<Inode, byte[]> each : files.entrySet()) {
      Path file = dumped(directory, each.getKey());
      assertThat(each.getValue())
          .as("bytes of %s", each.getKey())
          .isEqualTo(Files.readAllBytes(file));
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
