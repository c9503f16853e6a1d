// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ManualClock;
import io.rdio.exclusive.wire.CachedDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client's evicted chunks, by the places that its file maps tell. */
final class DataCacheEvictionsTest {
  private static final int CHUNK = 4096;
  private static final int CHUNKS = 64;
  private static final int EXTENT = 6 * 1024;
  private static final UUID FS = new UUID(1, 2);
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);

  private final ManualClock clock = new ManualClock();
  private final BlockDataCache cache =
      new BlockDataCache((long) CHUNKS * CHUNK, CHUNK, clock, new ClientCounters());
  private final List<Eviction.OfDevice> told = new ArrayList<>();
  private final FileMap map = map("nvme-1", 1 << 20);
  private final DataCacheEvictions source = new DataCacheEvictions(this::listen, clock);

  private ExtentEvictions.Subscription listen(ExtentEvictions.Listener listener) {
    BlockDataCache.EvictionListener evicted =
        (block, offset, length) ->
            listener.evicted(map.device(), map.blockExtents(), Lease.of(map), offset, length);
    cache.addEvictionListener(evicted);
    return () -> cache.removeEvictionListener(evicted);
  }

  /** Extents of one and a half chunks, every one a megabyte behind the one before. */
  private FileMap map(String wwid, long partitionStart) {
    int count = 400;
    long[] physical = new long[count];
    long[] lengths = new long[count];
    for (int i = 0; i < count; i++) {
      physical[i] = (long) i << 20;
      lengths[i] = EXTENT;
    }
    return new FileMap(
        BLOCK,
        new GrantOrigin(
            "datanode:9860",
            2,
            "DS-1",
            new DeviceIdentity("ext4", FS, 1L << 40, wwid, partitionStart, "/dev/x"),
            0,
            1,
            new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7)),
        (long) count * EXTENT,
        ExtentList.of(physical, lengths),
        ExtentList.EMPTY,
        new Lease(1, 1, clock.nanos(), clock.nanos() + Duration.ofMinutes(1).toNanos()));
  }

  @BeforeEach
  void start() {
    source.start(eviction -> told.add((Eviction.OfDevice) eviction));
  }

  @AfterEach
  void stop() {
    source.close();
    cache.close();
  }

  private void fill() {
    cache.insert(map, 0, 4L * CHUNKS * CHUNK, (offset, to, at, length) -> length);
  }

  private void trace(CachedDevice.Builder device) throws IOException {
    source.traced(4, DataCacheEvictions.finder().find(List.of(device.build())).get(0));
  }

  @Test
  void chunksComeAsThePiecesOfTheDeviceThatTheyAreOn() throws IOException {
    trace(RecordingStorage.device(3).setWwid("nvme-1"));
    fill();

    assertThat(told).isNotEmpty().allMatch(piece -> piece.device() == 4);
    long sum = told.stream().mapToLong(Eviction.OfDevice::bytes).sum();
    assertThat(sum % CHUNK).isZero();
    assertThat(sum / CHUNK).isBetween(2L * CHUNKS, 4L * CHUNKS);
    // On the disk behind the partition's start; each within its extent.
    assertThat(told)
        .allMatch(piece -> piece.offset() >= 1 << 20)
        .allMatch(piece -> piece.offset() % (1 << 20) + piece.bytes() <= EXTENT);
  }

  @Test
  void fileSystemsDeviceIsCountedFromItsOwnStart() throws IOException {
    trace(RecordingStorage.device(3).setFsUuid(FS.toString()));
    fill();

    assertThat(told).isNotEmpty();
    assertThat(told.get(0).offset() >> 20).isLessThan(400);
  }

  @Test
  void nothingIsToldOfOtherDevicesNorWithoutALeaseNorWhenClosed() throws IOException {
    trace(RecordingStorage.device(3).setWwid("nvme-2"));
    fill();
    assertThat(told).isEmpty();

    trace(RecordingStorage.device(3).setWwid("nvme-1"));
    source.close();
    fill();
    assertThat(told).isEmpty();
  }

  @Test
  void whatWasToldIsStaleOnceItsLeaseEnds() throws IOException {
    trace(RecordingStorage.device(3).setWwid("nvme-1"));
    fill();
    assertThat(told).isNotEmpty().allMatch(this::holds);

    Lease.of(map).end();

    assertThat(told).noneMatch(this::holds);
  }

  private boolean holds(Eviction.OfDevice piece) {
    return source.epochs().epoch(piece.slot()) == piece.epoch();
  }

  @Test
  void leaseThatRanOutVouchesForNoPlace() throws IOException {
    trace(RecordingStorage.device(3).setWwid("nvme-1"));
    cache.insert(map, 0, (long) CHUNKS / 2 * CHUNK, (offset, to, at, length) -> length);
    clock.advance(Duration.ofMinutes(2));
    fill();

    assertThat(told).isEmpty();
  }
}
