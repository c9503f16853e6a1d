// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.write.SlotStamp;
import io.rdio.datanode.volume.NoFences;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/** A volume of a real file system, with a full pool. */
final class Lending implements AutoCloseable {
  private static final int PAGE = 4096;

  final LoopFileSystem fs;
  final WriteFixture fixture;
  private final WriteConfig config;

  /**
   * @param fs {@code ext4} or {@code xfs}, and behind spaces what mkfs is told
   */
  Lending(String fs) throws IOException {
    this(fs, WriteFixture.CONFIG);
  }

  Lending(String fs, WriteConfig config) throws IOException {
    this.config = config;
    List<String> words = List.of(fs.split(" ", -1));
    String type = words.get(0);
    long bytes = type.equals("xfs") ? LoopFileSystem.XFS_BYTES : LoopFileSystem.EXT4_BYTES;
    List<String> options = words.subList(1, words.size());
    this.fs = LoopFileSystem.create(type, bytes, options, "defaults");
    this.fixture = new WriteFixture(this.fs.mountPoint());
    fixture.pooled().forEach(file -> file.toFile().delete());
    start();
  }

  /** On the kernel's own terms. */
  void start() {
    fixture.room =
        new DataNodeWriteRoom(
            config,
            fixture.writer,
            new DataNodeWriteRoom.Devices(VolumeDevice::identify, new NoFences()),
            Fiemap::extents,
            fixture.clock,
            fixture.threads);
    // The device may be busy each time: then a slot is made each tenth time.
    for (int i = 0; i < 50 && (i == 0 || fixture.status().free() < 4); i++) {
      fixture.room.upkeep();
    }
  }

  /** What an agent does; by dd, for Java's O_DIRECT wants 4 KiB at a time of every device. */
  void writeRaw(WriteGrantData grant, byte[] content) throws IOException {
    long unit = grant.unit();
    long units = (content.length + unit - 1) / unit;
    Path source = Files.createTempFile("rdio-raw-", "");
    try {
      Files.write(source, Arrays.copyOf(content, (int) (units * unit)));
      ExtentList extents = grant.extents();
      for (int i = 0; i < extents.count() && extents.start(i) < units * unit; i++) {
        Command.run(
            "dd",
            "status=none",
            "if=" + source,
            "of=" + fs.device(),
            "bs=" + unit,
            "skip=" + extents.start(i) / unit,
            "seek=" + extents.physical(i) / unit,
            "count=" + (Math.min(extents.end(i) / unit, units) - extents.start(i) / unit),
            "oflag=direct",
            "conv=notrunc,fsync");
      }
    } finally {
      Files.delete(source);
    }
  }

  /** Whether each extent begins with its stamp, as the device has it. */
  boolean isStamped(ExtentList extents, long slot, long nonce, int unit) throws IOException {
    boolean all = true;
    try (FileChannel channel =
        FileChannel.open(fs.device(), StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
      for (int i = 0; i < extents.count(); i++) {
        int behind = (int) (extents.physical(i) % PAGE);
        ByteBuffer bytes = SlotStamps.aligned(2 * PAGE, PAGE);
        channel.read(bytes, extents.physical(i) - behind);
        all &= new SlotStamp(slot, nonce, i, unit).isShownBy(bytes.slice(behind, unit));
      }
    }
    return all;
  }

  /** Nothing that is not on the device by now gets there: no journal, no dirty page. */
  void losePower() throws IOException {
    Command.run("xfs_io", "-F", "-x", "-c", "shutdown", fs.mountPoint().toString());
    fs.unmount();
    fs.mount("defaults");
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
