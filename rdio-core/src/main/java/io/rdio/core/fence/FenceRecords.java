// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The records of a host's fences in a folder, one file for each host that is shut out and each
 * device. A file is whole, or not there, whenever it is read: also after a loss of power. For one
 * process at a time.
 */
public final class FenceRecords {
  /** Where a host keeps them, unless it is told otherwise. */
  public static final Path DEFAULT = Path.of("/var/lib/rdio/fence");

  private static final String SUFFIX = ".fence";

  private final Path folder;

  /**
   * @param folder made when it is needed
   */
  public FenceRecords(Path folder) {
    this.folder = folder;
  }

  /** Where they are. */
  public Path folder() {
    return folder;
  }

  /**
   * All that are there, by name.
   *
   * @throws IOException also for a file that makes no sense: it is not known then what is fenced
   */
  public List<FenceRecord> all() throws IOException {
    List<FenceRecord> records = new ArrayList<>();
    for (Path file : files()) {
      // One that was removed since it was listed is not there.
      read(file).ifPresent(records::add);
    }
    return records;
  }

  private List<Path> files() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
    }
  }

  /**
   * Those whose host may still write to the device.
   *
   * @throws IOException also for a file that makes no sense
   */
  public List<FenceRecord> unfinished() throws IOException {
    return all().stream().filter(record -> !record.state().mayFree()).toList();
  }

  /** The record of a host and a device. */
  public Optional<FenceRecord> find(String host, String wwid) throws IOException {
    return read(file(host, wwid));
  }

  /** Empty if it is not there. An interrupted thread reads it like any other. */
  private static Optional<FenceRecord> read(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(FenceRecord.MAX_BYTES + 1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    Optional<FenceRecord> record = FenceRecord.parse(bytes);
    if (record.isEmpty()) {
      throw new IOException(
          file
              + " is no fence record; fix: look at the device with 'rdio fence --status',"
              + " remove the file, and fence again");
    }
    return record;
  }

  /** Writes one in place of that of the same host and device, durably. */
  void write(FenceRecord record) throws IOException {
    Files.createDirectories(folder);
    Path file = file(record.host(), record.wwid());
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            made,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(record.encode());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    DurableFiles.syncDirectory(folder);
  }

  /** Removes the record of a host and a device, durably; without effect where there is none. */
  public void remove(String host, String wwid) throws IOException {
    if (Files.deleteIfExists(file(host, wwid))) {
      DurableFiles.syncDirectory(folder);
    }
  }

  private Path file(String host, String wwid) {
    String name =
        URLEncoder.encode(HostKey.name(host), UTF_8) + "@" + URLEncoder.encode(wwid, UTF_8);
    return folder.resolve(name + SUFFIX);
  }
}
