// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackException;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.write.SlotStamp;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether the slots of a DataNode's volume, as a loss of power left it, are no block's files: what
 * is in the pool is whole and stamped, and has no other name (W1); what is lent or quarantined has
 * none but a hold link (W2, W6, W15); and no file is two blocks'.
 */
final class PromisedSlots {
  private final Path mountPoint;
  private final List<String> broken = new ArrayList<>();

  /** Who has a file by a name. */
  private enum Role {
    POOL("rdio/slots/pool"),
    LENT("rdio/slots/leased"),
    MAKING("rdio/slots/making"),
    KEPT("rdio/slots/kept"),
    HELD("rdio/pins"),
    BLOCK("current");

    private final String folder;

    Role(String folder) {
      this.folder = folder;
    }
  }

  private record Name(Role role, Path path) {}

  private PromisedSlots(Path mountPoint) {
    this.mountPoint = mountPoint;
  }

  /** What is wrong with a volume's slots; nothing if all are in order. */
  static List<String> broken(Path mountPoint) throws IOException {
    PromisedSlots slots = new PromisedSlots(mountPoint);
    Collection<List<Name>> files = slots.files();
    files.forEach(slots::checkNames);
    for (List<Name> names : files) {
      if (names.get(0).role() == Role.POOL) {
        slots.checkPooled(names.get(0).path());
      }
    }
    return slots.broken;
  }

  /** All names of each file, in the order of the roles. */
  private Collection<List<Name>> files() throws IOException {
    Map<Object, List<Name>> files = new HashMap<>();
    for (Role role : Role.values()) {
      for (Path path : Maps.files(mountPoint.resolve("data").resolve(role.folder))) {
        files
            .computeIfAbsent(Files.getAttribute(path, "unix:ino"), inode -> new ArrayList<>())
            .add(new Name(role, path));
      }
    }
    return files.values();
  }

  private void checkNames(List<Name> names) {
    long blocks = names.stream().filter(name -> name.role() == Role.BLOCK).count();
    boolean isInOrder =
        switch (names.get(0).role()) {
          case POOL, MAKING -> names.size() == 1;
          case LENT -> names.stream().skip(1).allMatch(name -> name.role() == Role.HELD);
          case KEPT, HELD, BLOCK -> blocks <= 1;
        };
    if (!isInOrder) {
      broken.add("names of one file: " + names);
    }
  }

  private void checkPooled(Path file) throws IOException {
    long bytes = Files.size(file);
    Object links = Files.getAttribute(file, "unix:nlink");
    if (!file.getParent().endsWith(Long.toString(bytes)) || !links.equals(1)) {
      broken.add(file + " has " + bytes + " bytes and " + links + " links");
      return;
    }
    try {
      checkStamps(file, Fiemap.extents(file, bytes));
    } catch (FallbackException e) {
      broken.add(file + " is no slot: " + e.detail());
    }
  }

  private void checkStamps(Path file, ExtentList extents) throws IOException {
    String[] name = file.getFileName().toString().split("\\.", -1);
    long slot = Long.parseUnsignedLong(name[0], 16);
    long nonce = Long.parseUnsignedLong(name[1], 16);
    int unit = Math.toIntExact(Files.getFileStore(file).getBlockSize());
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      for (int i = 0; i < extents.count(); i++) {
        ByteBuffer bytes = ByteBuffer.allocate(unit);
        channel.read(bytes, extents.start(i));
        if (!new SlotStamp(slot, nonce, i, unit).isShownBy(bytes.flip())) {
          broken.add(file + " has no stamp at " + extents.start(i));
        }
      }
    }
  }
}
