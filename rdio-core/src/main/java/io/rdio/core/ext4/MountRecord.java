// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How an ext4 file system is mounted, as its writer notes it on the file system itself: the device
 * does not say it, and whoever reads files from the device must know. Immutable.
 *
 * @param storageId of the DataNode's storage whose directory has the record
 * @param kernel that has it mounted, for people
 * @param options in effect, as {@code /proc/fs/ext4/DEVICE/options} has them
 */
public record MountRecord(String storageId, String kernel, List<String> options) {
  /** Where it lies, from the storage's directory. */
  public static final String PATH = "rdio/mount";

  /** Bytes that it has at most. */
  public static final int MAX_BYTES = 4096;

  private static final String FIRST_LINE = "rdio mount record 1";
  private static final String LAST_LINE = "end";
  private static final String STORAGE = "storage ";
  private static final String KERNEL = "kernel ";
  private static final String OPTION = "option ";

  /** Data is on the device before the commit that makes it a file's. */
  private static final String ORDERED = "data=ordered";

  /** Commits are on the device in their order, also behind a loss of power. */
  private static final String BARRIER = "barrier";

  /** Commit blocks do not wait for what they commit. */
  private static final String ASYNC = "journal_async_commit";

  public MountRecord {
    options = List.copyOf(options);
  }

  /** As it is on the file system. */
  public byte[] encode() {
    List<String> lines = new ArrayList<>(List.of(FIRST_LINE, STORAGE + storageId, KERNEL + kernel));
    options.forEach(option -> lines.add(OPTION + option));
    lines.add(LAST_LINE);
    return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** What was encoded; empty for anything else, also for what was cut short. */
  public static Optional<MountRecord> parse(byte[] bytes) {
    String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
    int end = lines.length - 2; // behind the last line there is nothing
    if (bytes.length > MAX_BYTES
        || end < 3
        || !lines[0].equals(FIRST_LINE)
        || !lines[end].equals(LAST_LINE)
        || !lines[end + 1].isEmpty()) {
      return Optional.empty();
    }
    String storage = value(lines[1], STORAGE);
    String kernel = value(lines[2], KERNEL);
    List<String> options = new ArrayList<>();
    for (int i = 3; i < end; i++) {
      String option = value(lines[i], OPTION);
      if (option == null) {
        return Optional.empty();
      }
      options.add(option);
    }
    return storage == null || kernel == null
        ? Optional.empty()
        : Optional.of(new MountRecord(storage, kernel, options));
  }

  private static @Nullable String value(String line, String name) {
    return line.startsWith(name) ? line.substring(name.length()) : null;
  }

  /**
   * Whether it was written in this mount. Times are whole seconds, so one that was written in the
   * second of the mount may be of the mount before, and counts as that.
   *
   * @param record the inode that it was read from
   */
  public static boolean isOf(MountStamp mount, Inode record) {
    return record.changedSeconds() > mount.mountedSeconds();
  }

  /** Why files of this mount must not be read without the writer's leave; empty if they may be. */
  public Optional<String> whyUnfit() {
    if (!options.contains(ORDERED)) {
      return Optional.of("it is not mounted with " + ORDERED);
    }
    if (!options.contains(BARRIER)) {
      return Optional.of("it is mounted without " + BARRIER);
    }
    return options.contains(ASYNC) ? Optional.of("it is mounted with " + ASYNC) : Optional.empty();
  }
}
