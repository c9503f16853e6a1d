// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.client.plane.device.BlockPath;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.HostDevices;
import io.rdio.core.device.RingQueue;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.time.BootTimeClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Blocks on an xfs whose writer was cut off, by the agent, its copies and its io_uring, for a
 * client that has a socket; only the fence is made up.
 */
@Tag("loop")
final class FencedAgentIT {
  private static final long SEED = 20261129;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final BlockKey PLAIN = new BlockKey(POOL, 1, 1001);
  private static final BlockKey OF_GROUP = new BlockKey(POOL, Long.MIN_VALUE + 17, 1002);
  private static final int BYTES = 700_001;

  @TempDir Path directory;

  @BeforeEach
  void requireTools() throws IOException {
    Requirements.requireLoop("xfs");
    Requirements.requireTool("xfs_metadump");
    Requirements.requireTool("xfs_logprint");
  }

  private static byte[] bytes(BlockKey block) {
    byte[] bytes = new byte[BYTES];
    new Random(SEED + block.blockId()).nextBytes(bytes);
    return bytes;
  }

  private static void write(Path storage, BlockKey block) throws Exception {
    Path folder = Files.createDirectories(storage.resolve(BlockPath.directory(block)));
    XfsCopiesIT.write(folder.resolve(BlockPath.blockFile(block)), bytes(block), true);
    byte[] meta = FakeCopies.meta(bytes(block));
    XfsCopiesIT.write(folder.resolve(BlockPath.metaFile(block)), meta, true);
  }

  private FencedAgent agent(FakeFences fences) throws IOException {
    FencedVolume.Means means =
        new FencedVolume.Means(
            new FenceLooks(fences, Duration.ZERO),
            new XfsCopies(directory.resolve("copies"), new BootTimeClock()),
            new HostDevices(Map.of(), MINUTE)::open,
            new StorageOwners(Set.of()));
    return new FencedAgent(means, directory, MINUTE, () -> RingQueue.open(MINUTE));
  }

  @Test
  void blocksOfDeadDataNodeAsLongAsTheFenceStands() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      Path storage = Files.createDirectories(fs.mountPoint().resolve("data"));
      Path current = Files.createDirectories(storage.resolve("current"));
      String version = "storageID=DS-1\nlayoutVersion=-57\nstorageType=DATA_NODE\n";
      XfsCopiesIT.write(current.resolve("VERSION"), version.getBytes(UTF_8), true);
      write(storage, PLAIN);
      write(storage, OF_GROUP);
      try (LoopDevice device =
          XfsCopiesIT.cutOff(fs, directory.resolve("device.img"), "--read-only")) {
        FakeFences fences = new FakeFences(device.node());
        try (FencedAgent agent = agent(fences)) {
          assertThat(agent.read(PLAIN, BYTES)).isEqualTo(bytes(PLAIN));
          assertThat(agent.read(OF_GROUP, BYTES)).isEqualTo(bytes(OF_GROUP));
          try (AgentBlock reader = agent.open(PLAIN, BYTES)) {
            fences.undo("given back");
            byte[] none = new byte[BYTES];
            assertThatThrownBy(() -> reader.read(0, none, 0, BYTES))
                .hasMessageContaining("given back");
            assertThat(none).containsOnly(0);
          }
        }
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }
}
