// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.hdfs.cluster.Shape.UNRECALLED_EXT4;
import static io.rdio.hdfs.cluster.Shape.UNRECALLED_XFS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.testing.Command;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The storage node keeps what reached the device, the DataNode's host loses its memory: a copy of
 * the device at the moment at which a client has its map is what the DataNode finds when it comes
 * back. The pins must be there, and the block where the client goes on reading it.
 */
@Tag("loop")
@Shares({UNRECALLED_EXT4, UNRECALLED_XFS})
class PowerLossIT {
  private static final int BLOCK = 8 << 20;

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void whatIsGrantedIsDurable(String fsType, SharedClusters clusters, @TempDir Path folder)
      throws Exception {
    Cluster cluster = clusters.of(Shape.unrecalled(fsType));
    Path device = folder.resolve("device-after-power-loss");
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    try (FileSystem stock = FileSystem.newInstance(conf);
        FileSystem rdio = cluster.fileSystem(true)) {
      SeededFile file = SeededFile.write(stock, "/file", BLOCK, 1);
      FileMap map = Maps.of(rdio, file.path(), 0);
      Path image = cluster.folder().resolve("volume0/store/image");
      Command.run("cp", "--sparse=always", image.toString(), device.toString());
      RdioClientContext.get(rdio.getConf()).close();

      Path mount = Files.createDirectory(folder.resolve("mount"));
      // xfs refuses a second file system with the UUID of a mounted one; this one replays its log.
      String options = fsType.equals("xfs") ? "loop,nouuid" : "loop";
      Command.run("mount", "-t", fsType, "-o", options, device.toString(), mount.toString());
      try {
        List<Path> pins = Maps.pinFiles(mount);
        assertThat(pins).as("links to the block and its meta file").hasSize(2);
        Path block = pins.stream().filter(pin -> pin.toFile().length() == BLOCK).findAny().get();
        assertThat(Fiemap.extents(block, BLOCK)).isEqualTo(map.blockExtents());
        assertThat(Arrays.equals(Files.readAllBytes(block), file.bytes())).as("content").isTrue();
      } finally {
        Command.run("umount", mount.toString());
      }
    }
  }
}
