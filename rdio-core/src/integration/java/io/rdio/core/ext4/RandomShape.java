// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A form of ext4 that was picked at random.
 *
 * @param options of mke2fs, which may refuse them together
 * @param hash of directories' trees
 * @param mount options, which the kernel may refuse for such a file system
 */
record RandomShape(List<String> options, String hash, String mount) {
  private static final List<String> FEATURES =
      List.of(
          "^64bit",
          "^flex_bg",
          "large_dir",
          "^metadata_csum",
          "^metadata_csum,uninit_bg",
          "metadata_csum_seed",
          "^filetype",
          "^dir_index",
          "orphan_file",
          "^extent,^64bit",
          "sparse_super2,^sparse_super,^resize_inode",
          "^resize_inode",
          "meta_bg,^resize_inode",
          "^dir_nlink",
          "^huge_file",
          "^extra_isize",
          "^large_file",
          "quota",
          "quota,project",
          "ea_inode",
          "fast_commit",
          "stable_inodes",
          "encrypt,verity",
          "casefold");

  private static final String INLINE_DATA = "inline_data";
  private static final String NO_JOURNAL = "^has_journal";
  private static final String BIGALLOC = "bigalloc";

  static RandomShape pick(Random random) {
    int blockSize = 1024 << random.nextInt(3);
    List<String> features = features(random);
    List<String> options = new ArrayList<>(List.of("-t", "ext4", "-b", "" + blockSize));
    options.addAll(List.of("-I", "" + (128 << random.nextInt(3))));
    // Nothing is to be written behind the back of who compares.
    options.addAll(List.of("-E", "lazy_itable_init=0,lazy_journal_init=0"));
    if (features.contains(BIGALLOC)) {
      options.addAll(List.of("-C", "" + (blockSize << (1 + random.nextInt(4)))));
    } else if (random.nextInt(3) == 0) {
      options.addAll(List.of("-g", "" + 8 * (64 + random.nextInt(60))));
    }
    boolean ownLog = !features.contains(NO_JOURNAL) && !features.contains(INLINE_DATA);
    if (ownLog && random.nextInt(2) == 0) {
      options.addAll(List.of("-J", "size=" + ((blockSize / 1024) << random.nextInt(4))));
    }
    if (!features.isEmpty()) {
      options.addAll(List.of("-O", String.join(",", features)));
    }
    String hash = List.of("half_md4", "half_md4", "tea", "legacy").get(random.nextInt(4));
    return new RandomShape(options, hash, mount(features, random));
  }

  private static List<String> features(Random random) {
    List<String> features = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      features.add(FEATURES.get(random.nextInt(FEATURES.size())));
    }
    switch (random.nextInt(12)) {
      case 0, 1 -> features.add(INLINE_DATA);
      case 2 -> features.add(NO_JOURNAL);
      case 3, 4, 5 -> features.add(BIGALLOC);
      default -> {}
    }
    return features;
  }

  private static String mount(List<String> features, Random random) {
    List<String> mount = new ArrayList<>(List.of("noatime"));
    if (features.contains(INLINE_DATA)) {
      // With data=ordered Linux 6.18 may wait for ever.
      mount.add("data=journal");
    } else if (!features.contains(NO_JOURNAL)) {
      switch (random.nextInt(20)) {
        case 0, 1, 2 -> mount.add("data=journal");
        case 3, 4 -> mount.add("data=writeback");
        case 5 -> mount.add("journal_checksum");
        case 6 -> mount.add("data=writeback,journal_async_commit");
        default -> {}
      }
    }
    for (String option : List.of("nodelalloc", "dioread_lock", "discard")) {
      if (random.nextInt(4) == 0) {
        mount.add(option);
      }
    }
    return String.join(",", mount);
  }

  /**
   * Makes one on a device.
   *
   * @param more options of mke2fs, as {@code -d} and a folder
   * @throws IOException also where mke2fs does not take the options together
   */
  void make(Path device, String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of("timeout", "120", "mke2fs", "-q", "-F"));
    command.addAll(options);
    command.addAll(List.of(more));
    command.add(device.toString());
    Command.run(command.toArray(String[]::new));
    Command.run("timeout", "120", "tune2fs", "-E", "hash_alg=" + hash, device.toString());
  }

  /** The features of what was made, as dumpe2fs names them. */
  static Set<String> featuresOf(Path device) throws IOException {
    String head = Command.run("timeout", "120", "dumpe2fs", "-h", device.toString());
    for (String line : head.split("\n", -1)) {
      if (line.startsWith("Filesystem features:")) {
        return Set.of(line.substring(line.indexOf(':') + 1).strip().split(" +"));
      }
    }
    throw new IOException("no features in " + head);
  }

  int blockSize() {
    return Integer.parseInt(options.get(options.indexOf("-b") + 1));
  }

  boolean hasInlineData() {
    return options.stream().anyMatch(option -> option.contains(INLINE_DATA));
  }

  /** What the reader must say that it does not read while this is mounted; empty if it reads it. */
  String refusedWhileMounted(Set<String> features) {
    if (!features.contains("has_journal")) {
      return "";
    }
    if (features.contains("fast_commit")) {
      return "fast_commit";
    }
    if (mount.contains("journal_async_commit")) {
      return "journal_async_commit";
    }
    // With checksums of metadata the log has those of version 3 anyway.
    boolean old = mount.contains("journal_checksum") && !features.contains("metadata_csum");
    return old ? "journal_checksum" : "";
  }

  @Override
  public String toString() {
    return String.join(" ", options) + " (hash " + hash + ") -o " + mount;
  }
}
