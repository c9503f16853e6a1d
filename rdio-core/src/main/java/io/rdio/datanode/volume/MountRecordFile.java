// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.linux.DurableFiles;
import io.rdio.core.linux.Ext4Options;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the {@link MountRecord} of a volume, without which nobody reads it past its DataNode. It
 * is a new file each time, for its age says of which mount it is. Grants do not depend on it: a
 * volume that is full keeps them, and the record is tried again. For one thread at a time.
 */
final class MountRecordFile {
  private static final Logger LOG = LoggerFactory.getLogger(MountRecordFile.class);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final Ext4Options mounted;
  private boolean missing;

  /**
   * @param ext4 {@code /proc/fs/ext4}
   */
  MountRecordFile(Path ext4) {
    this.mounted = new Ext4Options(ext4);
  }

  /** Writes it, durably, if the volume is ext4; says in the log if that fails. */
  void write(Storage storage, DeviceIdentity device) {
    if (device.fsType().equals("ext4")) {
      missing = !isWritten(storage, device);
    }
  }

  /** Writes it if it could not be written the last time; says in the log if that succeeds. */
  void writeIfMissing(Storage storage, DeviceIdentity device) {
    if (missing && isWritten(storage, device)) {
      missing = false;
      LOG.info("{} has its mount record now", storage.volumeRoot());
    }
  }

  private boolean isWritten(Storage storage, DeviceIdentity device) {
    try {
      List<String> options = mounted.of(device);
      String kernel = System.getProperty("os.name") + " " + System.getProperty("os.version");
      replace(
          storage.volumeRoot().resolve(MountRecord.PATH),
          new MountRecord(
              storage.storageId(),
              device.fsUuid(),
              TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()),
              kernel,
              options));
      return true;
    } catch (IOException | RuntimeException e) {
      if (missing) { // that was said before
        LOG.debug("No mount record on {}, still", storage.volumeRoot(), e);
      } else {
        LOG.warn(
            "No mount record on {}: clients cannot read it past this DataNode until it can be"
                + " written, which is tried again; grants go on",
            storage.volumeRoot(),
            e);
      }
      return false;
    }
  }

  private static void replace(Path file, MountRecord record) throws IOException {
    Path made = file.resolveSibling("mount.new");
    Files.deleteIfExists(made);
    try (FileChannel channel =
        FileChannel.open(
            made,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
      ByteBuffer bytes = ByteBuffer.wrap(record.encode());
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    DurableFiles.syncDirectory(file.resolveSibling("."));
  }
}
