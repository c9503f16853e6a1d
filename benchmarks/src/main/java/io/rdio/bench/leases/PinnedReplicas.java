// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A DataNode that has whatever block it is asked for. The blocks share a few files, which the grant
 * service links once for each pin; they are in memory where the machine has a folder there, so that
 * a million pins are made in a minute. Thread-safe.
 */
final class PinnedReplicas implements ReplicaSource, AutoCloseable {
  static final int BLOCK_BYTES = 512;

  private static final String STORAGE_ID = "DS-1";

  // A file system allows only so many links of one file: ext4 65,000.
  private static final int FILES = 1_024;

  // Version 1, no checksums, for chunks of 512 bytes.
  private static final byte[] META =
      ByteBuffer.allocate(7).putShort((short) 1).putInt(3, 512).array();

  private final Path root;
  private final Storage storage;
  private final List<Path> blockFiles = new ArrayList<>();
  private final List<Path> metaFiles = new ArrayList<>();

  PinnedReplicas() throws IOException {
    root = newFolder();
    storage = new Storage(STORAGE_ID, root, true);
    for (int i = 0; i < FILES; i++) {
      blockFiles.add(Files.write(root.resolve("blk_" + i), new byte[BLOCK_BYTES]));
      metaFiles.add(Files.write(root.resolve("blk_" + i + "_1001.meta"), META));
    }
  }

  /** Leaves links as an incarnation that ended does; before the volume is looked at. */
  void leaveLinks(int count) throws IOException {
    Path pins = Files.createDirectories(root.resolve("rdio").resolve("pins").resolve("60000"));
    for (int i = 0; i < count; i++) {
      Files.createLink(pins.resolve("left." + i + ".data"), blockFiles.get(i % FILES));
    }
  }

  private static Path newFolder() throws IOException {
    Path memory = Path.of("/dev/shm");
    return Files.isWritable(memory)
        ? Files.createTempDirectory(memory, "rdio-leases-")
        : Files.createTempDirectory("rdio-leases-");
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token) {}

  @Override
  public byte[] tokenPassword(BlockKey block, byte[] identifier) {
    throw new IllegalStateException("nobody proves anything here");
  }

  @Override
  public Replica find(BlockKey block) {
    int file = Math.floorMod(block.blockId(), FILES);
    return new Replica(
        block, STORAGE_ID, root, blockFiles.get(file), metaFiles.get(file), BLOCK_BYTES);
  }

  @Override
  public Storage storageOf(BlockKey block) {
    return storage;
  }

  @Override
  public boolean isCurrent(Replica replica) {
    return true;
  }

  @Override
  public List<Storage> storages() {
    return List.of(storage);
  }

  @Override
  public String dataNodeUuid() {
    return "datanode";
  }

  /** Removes all files. */
  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      all.sorted(Comparator.reverseOrder()).forEach(PinnedReplicas::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
