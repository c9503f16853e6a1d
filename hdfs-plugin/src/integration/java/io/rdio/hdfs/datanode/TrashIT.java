// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** During a rolling upgrade DataNodes do not delete blocks but move them to a trash. */
@Tag("loop")
final class TrashIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path nameDirectory;

  /** Whose holder answers no recall, so that only its end would let the block go. */
  @Test
  void leaseOutlivesTheTrash() throws Exception {
    byte[] content = InJvmHdfs.randomBytes(3_000_123);
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        InJvmHdfs hdfs = new InJvmHdfs(volume, nameDirectory, Map.of());
        DeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ZERO)) {
      LocatedBlock block = hdfs.lastBlock(hdfs.write("file", content));
      FileMap map = hdfs.grant(block).getFileMap();
      hdfs.fileSystem.setSafeMode(SafeModeAction.ENTER);
      hdfs.fileSystem.rollingUpgrade(RollingUpgradeAction.PREPARE);
      hdfs.fileSystem.setSafeMode(SafeModeAction.LEAVE);
      hdfs.fileSystem.delete(new org.apache.hadoop.fs.Path("/file"), false);
      await("the block in the trash").atMost(PATIENCE).until(() -> trash(volume).size() == 1);
      assertThat(pins(volume, block)).hasSize(2);
      hdfs.fileSystem.rollingUpgrade(RollingUpgradeAction.FINALIZE);
      await("an empty trash").atMost(PATIENCE).until(() -> trash(volume).isEmpty());
      assertThat(Maps.blockFiles(volume.mountPoint())).isEmpty();

      FreeSpace others = new FreeSpace(volume.mountPoint());
      others.fill();
      GrantedBytes.check(devices, map, content);
      others.empty();
      assertThat(pins(volume, block)).hasSize(2);
    }
  }

  private static List<Path> trash(LoopFileSystem volume) throws IOException {
    return Maps.blockFiles(volume.mountPoint()).stream()
        .filter(file -> file.toString().contains("/trash/"))
        .toList();
  }

  private static List<Path> pins(LoopFileSystem volume, LocatedBlock block) throws IOException {
    return Maps.pinFiles(volume.mountPoint()).stream()
        .filter(pin -> pin.toString().contains("." + block.getBlock().getBlockId() + "."))
        .toList();
  }
}
