// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.MemoryDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How far a search for storages goes. */
final class StorageScanTest {
  private static final int BLOCK = 1024;

  /** Names so long that few are in one block. */
  private static final int NAME_LENGTH = 200;

  @TempDir(factory = InMemory.class)
  Path directory;

  /** What is behind them is not even read: that it makes no sense is not noticed. */
  @Test
  void noMoreDirectoriesAreTakenInThanAreLookedInto() throws Exception {
    Ext4Image.requireTools();
    Path content = Files.createDirectory(directory.resolve("content"));
    for (int i = 0; i < StorageScan.MAX_DIRECTORIES + 200; i++) {
      Files.createDirectories(
          content.resolve("crowd").resolve(String.format("%0" + NAME_LENGTH + "d", i)));
    }
    Ext4Image image =
        Ext4Image.make(
            directory.resolve("image"), content, "32M", "-t ext4 -b " + BLOCK + " -J size=1");
    byte[] bytes = Files.readAllBytes(image.file());
    int at = (int) (lastBlock(image.open(), "/crowd") * BLOCK);
    bytes[at] = (byte) ~bytes[at];

    ManualClock clock = new ManualClock();
    LiveVolume live = LiveVolume.open(new MemoryDevice(bytes, 512), clock, new DeviceCounters());
    StorageScan.Report report = StorageScan.all(live, PlaneImage.owners(), clock);
    assertThat(report.found()).isEmpty();
    assertThat(report.skipped())
        .singleElement()
        .asString()
        .endsWith("directories, after " + StorageScan.MAX_DIRECTORIES + " that were looked into");
  }

  private static long lastBlock(Ext4Volume volume, String path) throws Exception {
    Inode inode = volume.resolve(path);
    List<FileExtent> extents = volume.extents(inode);
    FileExtent last = extents.get(extents.size() - 1);
    assertThat(last.end() * BLOCK).isEqualTo(inode.size());
    return last.physical() + last.length() - 1;
  }
}
