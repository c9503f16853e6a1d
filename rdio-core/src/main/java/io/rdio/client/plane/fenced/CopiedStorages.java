// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.client.plane.device.StorageVersion;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/**
 * Looks for storage directories of DataNodes in a copy, breadth first: not below one that it has
 * found, not deeper than {@value #MAX_DEPTH} directories, and not where somebody may write who runs
 * no DataNode. What it cannot read it leaves out and names.
 */
final class CopiedStorages {
  static final int MAX_DEPTH = 3;
  static final int MAX_DIRECTORIES = 1000;

  private static final int MAX_SKIPPED = 10;

  private final MetadataCopies.Copy copy;
  private final BlockDevice device;
  private final CopiedFiles files;

  /**
   * @param device that the copy is of, where bytes of files are
   */
  CopiedStorages(MetadataCopies.Copy copy, BlockDevice device, StorageOwners owners) {
    this.copy = copy;
    this.device = device;
    this.files = new CopiedFiles(owners);
  }

  /** A storage directory, in the copy. */
  record Found(String storageId, Path directory, StorageVersion version) {}

  /**
   * What a copy has.
   *
   * @param skipped where nothing was looked for, and why; not all of it
   */
  record Report(List<Found> found, List<String> skipped) {
    private void skip(Path path, String why) {
      if (skipped.size() < MAX_SKIPPED) {
        skipped.add(path + ": " + why);
      }
    }
  }

  private record Place(Path directory, int depth) {}

  /**
   * All that there are.
   *
   * @throws FallbackException what the device came to
   */
  Report all() throws FallbackException {
    Report report = new Report(new ArrayList<>(), new ArrayList<>());
    Queue<Place> places = new ArrayDeque<>();
    places.add(new Place(copy.root(), 0));
    for (int i = 0; !places.isEmpty() && i < MAX_DIRECTORIES; i++) {
      Place place = places.remove();
      try {
        list(place, places, report);
      } catch (IOException e) {
        report.skip(place.directory(), e.toString());
      } catch (FallbackException e) {
        if (!isOfDirectory(e.reason())) {
          throw e;
        }
        report.skip(place.directory(), e.detail());
      }
    }
    return report;
  }

  private static boolean isOfDirectory(FallbackReason reason) {
    return reason == FallbackReason.EXTENTS_UNMAPPABLE
        || reason == FallbackReason.METADATA_UNREADABLE;
  }

  private void list(Place place, Queue<Place> places, Report report)
      throws IOException, FallbackException {
    Optional<Found> storage = storage(place.directory());
    storage.ifPresent(report.found()::add);
    if (storage.isEmpty() && place.depth() < MAX_DEPTH && mayHaveStorages(place.directory())) {
      addBelow(place, places, report);
    }
  }

  private boolean mayHaveStorages(Path directory) throws IOException {
    Optional<CopiedFiles.Seen> seen = files.see(directory);
    return seen.isPresent() && files.owners().whyNotOnTheWay(seen.get().owned()).isEmpty();
  }

  private void addBelow(Place place, Queue<Place> places, Report report) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(place.directory())) {
      for (Path entry : entries) {
        if (places.size() < MAX_DIRECTORIES && isDirectory(entry, report)) {
          places.add(new Place(entry, place.depth() + 1));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private boolean isDirectory(Path entry, Report report) {
    try {
      return files.see(entry).map(CopiedFiles.Seen::isDirectory).orElse(false);
    } catch (IOException e) {
      report.skip(entry, e.toString());
      return false;
    }
  }

  private Optional<Found> storage(Path directory) throws IOException, FallbackException {
    Path current = directory.resolve("current");
    if (!files.isStorageDirectory(directory) || !files.isStorageDirectory(current)) {
      return Optional.empty();
    }
    Path version = current.resolve("VERSION");
    Optional<CopiedFiles.Seen> seen = files.see(version);
    if (seen.isEmpty()
        || !seen.get().isFile()
        || seen.get().size() > StorageVersion.MAX_BYTES
        || files.owners().whyNotInside(seen.get().owned()).isPresent()) {
      return Optional.empty();
    }
    return StorageVersion.parse(bytes(version, (int) seen.get().size()))
        .map(said -> new Found(said.storageId(), directory, said));
  }

  /** The copy has no bytes of files; the device has. */
  private byte[] bytes(Path file, int length) throws IOException, FallbackException {
    if (length == 0) {
      return new byte[0];
    }
    ExtentList extents = copy.extents(file, length);
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      // Never across the end of a sector, so never across that of an extent.
      int i = extents.indexOf(bytes.position());
      long at = extents.physical(i) + bytes.position() - extents.start(i);
      ByteBuffer start = DeviceBytes.sector(device, at);
      bytes.put(start.limit(Math.min(start.limit(), bytes.remaining())));
    }
    return bytes.array();
  }
}
