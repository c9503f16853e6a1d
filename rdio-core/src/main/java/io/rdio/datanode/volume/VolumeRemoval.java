// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes what RDIO keeps on one volume, for good. While this is open no DataNode can begin to use
 * the volume. What is there and is not RDIO's stays, and so do the directories around it. For one
 * thread, but for {@link #close}.
 */
public final class VolumeRemoval implements AutoCloseable {
  private static final String PINS = "pins";
  private static final String WITNESS = "witness";

  private final Path rdio;
  private final @Nullable VolumeLock lock;
  private final Object removing = new Object();

  /**
   * What was found.
   *
   * @param links of pinned blocks and their meta files
   * @param bytesOnlyHere of those that HDFS has deleted
   * @param holdMillis how long leases on them may run from the plugin's end on; 0 without links
   * @param strange what RDIO does not make
   */
  public record Found(List<Path> links, long bytesOnlyHere, long holdMillis, List<Path> strange) {}

  private VolumeRemoval(Path rdio, @Nullable VolumeLock lock) {
    this.rdio = rdio;
    this.lock = lock;
  }

  /**
   * Shuts DataNodes out of a volume.
   *
   * @param volumeRoot the storage directory, parent of {@code current}
   * @param dryRun changes nothing, not even who may use it
   * @return null when RDIO keeps nothing there
   * @throws IOException when a DataNode uses the volume, or it is none
   */
  public static @Nullable VolumeRemoval open(Path volumeRoot, boolean dryRun) throws IOException {
    if (!Files.isRegularFile(volumeRoot.resolve("current").resolve("VERSION"))) {
      throw new IOException(
          volumeRoot + " is not a DataNode's storage directory: it has no current/VERSION");
    }
    Path rdio = PinDirectory.of(volumeRoot);
    if (!Files.isDirectory(rdio, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    if (dryRun && !Files.exists(volumeRoot.resolve(VolumeLock.NAME))) {
      return new VolumeRemoval(rdio, null);
    }
    VolumeLock lock = VolumeLock.tryLock(volumeRoot);
    if (lock == null) {
      throw new IOException(
          "a DataNode uses "
              + volumeRoot
              + "; fix: stop it, run this again, and start it without RDIO's plugin in "
              + Setting.DATANODE_PLUGINS);
    }
    return new VolumeRemoval(rdio, lock);
  }

  /** Looks at what is there; changes nothing. */
  public Found look() throws IOException {
    List<Path> links = new ArrayList<>();
    List<Path> strange = new ArrayList<>();
    long only = 0;
    long hold = 0;
    for (Path entry : list(rdio)) {
      String name = name(entry);
      if (!name.equals(PINS) && !name.equals(WITNESS)) {
        strange.add(entry);
      }
    }
    for (Path term : list(rdio.resolve(PINS))) {
      boolean isTerm =
          name(term).matches("[0-9]{1,12}") && Files.isDirectory(term, LinkOption.NOFOLLOW_LINKS);
      if (!isTerm) {
        strange.add(term);
        continue;
      }
      for (Path link : list(term)) {
        if (isLink(link)) {
          links.add(link);
          hold = Math.max(hold, Long.parseLong(name(term)));
          only += bytesOnlyHere(link);
        } else {
          strange.add(link);
        }
      }
    }
    return new Found(links, only, hold, strange);
  }

  private static boolean isLink(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && (name(file).endsWith(".data") || name(file).endsWith(".meta"));
  }

  private static long bytesOnlyHere(Path link) throws IOException {
    int names = (Integer) Files.getAttribute(link, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
    return names == 1 ? Files.size(link) : 0;
  }

  /**
   * Removes all that RDIO made. To be called when no lease can run any more: {@link
   * Found#holdMillis} after {@link #open}.
   *
   * @return what is still there, and why
   */
  public List<String> remove() throws IOException {
    synchronized (removing) {
      return removeNow();
    }
  }

  private List<String> removeNow() throws IOException {
    if (lock == null || !lock.holds()) {
      throw new IOException(rdio + " may be in use by a DataNode again: stop it and run this anew");
    }
    Found found = look();
    for (Path link : found.links()) {
      Files.deleteIfExists(link);
    }
    for (Path term : list(rdio.resolve(PINS))) {
      removeIfEmpty(term);
    }
    removeIfEmpty(rdio.resolve(PINS));
    Files.deleteIfExists(rdio.resolve(WITNESS));
    removeIfEmpty(rdio);
    return found.strange().stream().map(path -> path + " is not RDIO's").toList();
  }

  private static void removeIfEmpty(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) && list(directory).isEmpty()) {
      Files.delete(directory);
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }

  private static String name(Path path) {
    return Objects.toString(path.getFileName(), "");
  }

  /** Lets DataNodes in again, once a removal under way is over. May come from any thread. */
  @Override
  public void close() throws IOException {
    synchronized (removing) {
      if (lock != null) {
        lock.close();
      }
    }
  }
}
