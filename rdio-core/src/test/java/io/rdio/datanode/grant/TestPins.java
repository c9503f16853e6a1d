// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.PinnedFiles;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import io.rdio.datanode.volume.VolumeAccess;
import java.nio.file.Path;

/** Pins that nothing on any disk stands for. */
final class TestPins {
  private static final Path ROOT = Path.of("/data/1/dfs/dn");

  private TestPins() {}

  static Volume volume() {
    VolumeAccess.Opener never =
        () -> {
          throw new IllegalStateException("no disk is needed");
        };
    return new Volume(
        new Storage("DS-1", ROOT, true),
        new PinDirectory(ROOT, 1_000),
        new Leftovers(new GrantCounters()),
        new VolumeAccess(ROOT, never, System::nanoTime),
        new SameThread(),
        new GrantCounters());
  }

  /** With paths as long as those of a DataNode are, and four extents. */
  static Pin pin(BlockKey block, long length, Volume volume) {
    PinnedMap map =
        new PinnedMap(
            block,
            "DS-1",
            GrantFixture.DEVICE,
            new Witness(4096, 1, 1),
            length,
            11,
            extents(4),
            extents(1),
            new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));
    Path folder =
        ROOT.resolve("current/" + block.poolId() + "/current/finalized/subdir12/subdir21");
    Path data = folder.resolve("blk_" + block.blockId());
    Path meta = folder.resolve("blk_" + block.blockId() + "_" + block.generationStamp() + ".meta");
    Path pins = ROOT.resolve("rdio/pins/120000");
    String link = block.poolId() + "." + block.blockId() + "." + block.generationStamp() + ".abc.1";
    return new Pin(
        map,
        new Replica(block, "DS-1", ROOT, data, meta, length),
        new PinnedFiles(pins.resolve(link + ".data"), pins.resolve(link + ".meta")),
        "inode",
        volume);
  }

  private static ExtentList extents(int count) {
    long[] physical = new long[count];
    long[] length = new long[count];
    for (int i = 0; i < count; i++) {
      physical[i] = (2L * i + 1) << 20;
      length[i] = 1 << 20;
    }
    return ExtentList.of(physical, length);
  }
}
