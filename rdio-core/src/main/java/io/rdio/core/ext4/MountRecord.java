// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How an ext4 file system is mounted, as its writer notes it on the file system itself: the device
 * does not say it, and whoever reads files from the device must know. It counts for the mount in
 * which its file was made, and for that file: a copy is told by the file system or by its age.
 * Immutable.
 *
 * @param storageId of the DataNode's storage whose directory has the record
 * @param fileSystem that it was written to, by its UUID
 * @param madeSeconds since 1970, by the writer's clock, when its file was about to be made
 * @param kernel that has it mounted, for people
 * @param options in effect, as {@code /proc/fs/ext4/DEVICE/options} has them
 */
public record MountRecord(
    String storageId, UUID fileSystem, long madeSeconds, String kernel, List<String> options) {
  /** Where it lies, from the storage's directory. */
  public static final String PATH = "rdio/mount";

  /** Bytes that it has at most. */
  public static final int MAX_BYTES = 4096;

  private static final String FIRST_LINE = "rdio mount record 2";
  private static final String LAST_LINE = "end";
  private static final String STORAGE = "storage ";
  private static final String FILE_SYSTEM = "filesystem ";
  private static final String MADE = "made ";
  private static final String KERNEL = "kernel ";
  private static final String OPTION = "option ";

  /** The file may be made so much later than the record says, but no copy of it. */
  private static final long LATE_SECONDS = 60;

  /** The kernel's time of files lags behind its clock by a tick. */
  private static final long EARLY_SECONDS = 1;

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
    List<String> lines =
        new ArrayList<>(
            List.of(
                FIRST_LINE,
                STORAGE + storageId,
                FILE_SYSTEM + fileSystem,
                MADE + madeSeconds,
                KERNEL + kernel));
    options.forEach(option -> lines.add(OPTION + option));
    lines.add(LAST_LINE);
    return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** What was encoded; empty for anything else, also for what was cut short. */
  public static Optional<MountRecord> parse(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      return Optional.empty();
    }
    // What has other bytes than the record that it says is not the writer's: half a character, say.
    return of(new String(bytes, StandardCharsets.UTF_8).split("\n", -1))
        .filter(record -> Arrays.equals(record.encode(), bytes));
  }

  private static Optional<MountRecord> of(String[] lines) {
    int end = lines.length - 2; // behind the last line there is nothing
    if (end < 5
        || !lines[0].equals(FIRST_LINE)
        || !lines[end].equals(LAST_LINE)
        || !lines[end + 1].isEmpty()) {
      return Optional.empty();
    }
    List<String> options = new ArrayList<>();
    for (int i = 5; i < end; i++) {
      String option = value(lines[i], OPTION);
      if (option == null) {
        return Optional.empty();
      }
      options.add(option);
    }
    return of(lines, options);
  }

  private static Optional<MountRecord> of(String[] lines, List<String> options) {
    String storage = value(lines[1], STORAGE);
    String fileSystem = value(lines[2], FILE_SYSTEM);
    String made = value(lines[3], MADE);
    String kernel = value(lines[4], KERNEL);
    if (storage == null || fileSystem == null || made == null || kernel == null) {
      return Optional.empty();
    }
    try {
      UUID uuid = UUID.fromString(fileSystem);
      return Optional.of(new MountRecord(storage, uuid, Long.parseLong(made), kernel, options));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // no UUID, or no number
    }
  }

  private static @Nullable String value(String line, String name) {
    return line.startsWith(name) ? line.substring(name.length()) : null;
  }

  /**
   * Why it does not speak of this mount; empty if it does. Times are whole seconds, so one that was
   * made in the second of the mount may be of the mount before, and counts as that.
   *
   * @param volume that it was found on
   * @param file that it was read from
   */
  public Optional<String> whyNotOf(Ext4Superblock volume, Inode file) {
    OptionalLong made = file.createdSeconds();
    if (!fileSystem.equals(volume.uuid())) {
      return Optional.of("its mount record is of another file system, " + fileSystem);
    }
    if (made.isEmpty()) {
      return Optional.of("its inodes are too small to say when its mount record was made");
    }
    if (made.getAsLong() <= volume.mount().mountedSeconds()) {
      return Optional.of("its mount record is of an earlier mount");
    }
    long late = made.getAsLong() - madeSeconds;
    return late < -EARLY_SECONDS || late > LATE_SECONDS
        ? Optional.of("its mount record is a copy, made " + late + " s after the record")
        : Optional.empty();
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
