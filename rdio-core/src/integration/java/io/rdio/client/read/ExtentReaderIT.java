// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.device.RingQueue;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.VolumeDevice;
import io.rdio.core.testing.FakeMaps;
import io.rdio.core.testing.FragmentedSpace;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Block files of real file systems, read past them from the device below. */
@Tag("loop")
class ExtentReaderIT {
  private static final int LENGTH = (4 << 20) + 777;
  private static final int FREE_BLOCKS = 1500;
  private static final int READS = 200;

  @ParameterizedTest
  @CsvSource({"ext4,4096,true", "ext4,1024,true", "ext4,4096,false", "xfs,4096,true"})
  void everyReadIsTheFilesBytes(String fsType, int blockSize, boolean fragmented) throws Exception {
    long size = fsType.equals("xfs") ? LoopFileSystem.XFS_BYTES : LoopFileSystem.EXT4_BYTES;
    List<String> options =
        fsType.equals("xfs") ? List.of("-b", "size=4096") : List.of("-b", "" + blockSize);
    TestBlock content =
        new TestBlock(5, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
    try (LoopFileSystem fs = LoopFileSystem.create(fsType, size, options, "defaults");
        LocalDeviceDirectory devices = new LocalDeviceDirectory(Map.of(), Duration.ZERO)) {
      Path blockFile = fs.mountPoint().resolve("blk_1");
      Path metaFile = fs.mountPoint().resolve("blk_1_1.meta");
      if (fragmented) {
        FragmentedSpace.make(fs.mountPoint(), FREE_BLOCKS);
      }
      Files.write(blockFile, content.bytes);
      Files.write(metaFile, content.meta);
      ExtentList blockExtents = Fiemap.extents(blockFile, LENGTH);
      if (fragmented) {
        assertThat(blockExtents.count()).isGreaterThan(LENGTH / 4096 / 2);
      }
      ManualClock clock = new ManualClock();
      FileMap map =
          map(
              content,
              VolumeDevice.identify(fs.mountPoint()),
              blockExtents,
              Fiemap.extents(metaFile, content.meta.length),
              writeWitness(fs.mountPoint().resolve("witness")),
              clock);
      ReadPools pools = ReadPools.of(64 << 20, RingQueue::open);
      ReadContext context = pools.context(new FakeMaps(clock).then(map), devices, clock);
      try (ExtentReader reader = ExtentReader.open(context, content.request, true, LENGTH)) {
        readSequentially(reader, content);
        readAtRandom(reader, content);
      }
      assertThat(pools.windows().lentBytes()).isZero();
      assertThat(pools.counters().deviceLatency.percentileMicros(0.5)).isPositive();
    }
  }

  private static void readSequentially(ExtentReader reader, TestBlock content) throws Exception {
    byte[] got = new byte[LENGTH];
    for (int at = 0; at < LENGTH; at += 4096) {
      reader.read(at, got, at, Math.min(4096, LENGTH - at));
    }
    assertThat(got).isEqualTo(content.bytes);
  }

  private static void readAtRandom(ExtentReader reader, TestBlock content) throws Exception {
    Random random = new Random(1);
    ByteBuffer target = ByteBuffer.allocateDirect(LENGTH + 8192).alignedSlice(4096);
    for (int i = 0; i < READS; i++) {
      int from = random.nextInt(LENGTH);
      if (i % 2 == 0) {
        from -= from % 4096; // often straight to the caller's memory
      }
      int count = 1 + random.nextInt(Math.min(LENGTH - from, i % 10 == 0 ? LENGTH : 20_000));
      reader.read(from, target, 0, count);
      byte[] got = new byte[count];
      target.get(0, got);
      assertThat(got).isEqualTo(content.range(from, count));
    }
  }

  private static Witness writeWitness(Path file) throws Exception {
    Files.write(file, new byte[4096]);
    Witness witness = new Witness(Fiemap.extents(file, 4096).physical(0), 1, 1);
    byte[] bytes = new byte[4096];
    witness.encode().get(bytes, 0, Witness.BYTES);
    Files.write(file, bytes, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
    return witness;
  }

  private static FileMap map(
      TestBlock content,
      DeviceIdentity device,
      ExtentList blockExtents,
      ExtentList metaExtents,
      Witness witness,
      ManualClock clock) {
    return new FileMap(
        content.key,
        new GrantOrigin(
            "datanode:9860",
            1,
            "DS-1",
            device,
            witness.offset(),
            witness.nonce(),
            content.checksum),
        content.bytes.length,
        blockExtents,
        metaExtents,
        new Lease(1, witness.count(), clock.nanos(), clock.nanos() + TestBlock.LEASE.toNanos()));
  }
}
