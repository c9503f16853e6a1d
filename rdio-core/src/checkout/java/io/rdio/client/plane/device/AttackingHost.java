// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.MountRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The host that has the file system mounted: makes a DataNode's storage on it and attacks until its
 * standard input ends. {@link AttackedHost} is the other one.
 */
final class AttackingHost {
  static final String STORAGE_ID = "DS-attacked";

  /** From the file system's root. */
  static final String STORAGE = "data";

  private static final int SEED = 5;

  private AttackingHost() {}

  /**
   * Arguments: where the file system is mounted; its device; the file that says its options in
   * effect. Says {@code attacking} when it has begun, and {@code attacked COUNT} with the number of
   * contents that it has made when it has ended.
   */
  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]);
    Path data = root.resolve(STORAGE);
    makeStorage(data, Path.of(args[1]), Path.of(args[2]));
    Path finalized = data.resolve("current/BP-1/current/finalized/subdir0/subdir0");
    Files.createDirectories(finalized);
    Path outside = Files.createDirectory(root.resolve("outside"));
    AttackingWriter writer = new AttackingWriter(finalized, outside, SEED);
    writer.begin();
    Thread writing = new Thread(writer, "attacking-writer");
    writing.start();
    System.out.println("attacking");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    while (commands.readLine() != null) {
      writer.requireAlive();
    }
    writer.stop();
    writing.join();
    writer.requireAlive();
    System.out.println("attacked " + writer.made());
  }

  private static void makeStorage(Path data, Path device, Path options) throws Exception {
    Path version = data.resolve("current/VERSION");
    Files.createDirectories(version.getParent());
    Files.writeString(
        version, "storageID=" + STORAGE_ID + "\nstorageType=DATA_NODE\nlayoutVersion=-57\n");
    Path record = data.resolve(MountRecord.PATH);
    Files.createDirectories(record.getParent());
    Ext4Superblock superblock = Ext4Volume.open(NamedDevice.open(device)).superblock();
    long now = secondBehind(superblock.mount().mountedSeconds());
    List<String> inEffect = Files.readAllLines(options);
    Files.write(
        record, new MountRecord(STORAGE_ID, superblock.uuid(), now, "test bed", inEffect).encode());
    writeBack(version);
    writeBack(record);
  }

  /** Waits until no file that is made may be of the second of the mount. */
  private static long secondBehind(long mounted) {
    while (System.currentTimeMillis() / 1000 <= mounted + 1) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    return System.currentTimeMillis() / 1000;
  }

  private static void writeBack(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
