// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/**
 * Writes how a volume is mounted to the volume itself, for those who read its files without this
 * DataNode's leave ({@link MountRecord}).
 */
final class MountRecordFile {
  static final String NAME = Objects.toString(Path.of(MountRecord.PATH).getFileName());

  /** What is not whole yet. */
  static final String NEXT = NAME + ".new";

  private final Path procfs;

  /** Of this host's kernel. */
  MountRecordFile() {
    this(Path.of("/proc"));
  }

  MountRecordFile(Path procfs) {
    this.procfs = procfs;
  }

  /**
   * Writes the record anew, durably, or takes it away where the kernel says nothing of the mount:
   * then nobody reads without leave.
   *
   * @param device that the volume is on
   */
  void write(Storage storage, DeviceIdentity device) throws IOException {
    Path record = storage.volumeRoot().resolve(MountRecord.PATH);
    Path name = Path.of(device.name()).getFileName();
    Path options = procfs.resolve("fs/ext4").resolve(String.valueOf(name)).resolve("options");
    if (!device.fsType().equals("ext4") || !Files.isReadable(options)) {
      Files.deleteIfExists(record);
      return;
    }
    String kernel = System.getProperty("os.name") + " " + System.getProperty("os.version");
    byte[] content =
        new MountRecord(storage.storageId(), kernel, Files.readAllLines(options)).encode();
    Path next = record.resolveSibling(NEXT);
    Files.write(next, content);
    DurableFiles.syncFile(next);
    Files.move(next, record, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(storage.volumeRoot().resolve("rdio"));
  }
}
