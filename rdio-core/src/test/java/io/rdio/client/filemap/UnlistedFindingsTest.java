// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapOrigin;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.FakePlane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replicas of a block that no DataNode is listed for, some of them found bad. */
final class UnlistedFindingsTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final BlockKey BLOCK = FileMapCacheFixture.key(1);
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 1 << 20, "", 0, "/dev/x");

  private record Origin(
      String dataNode, String storageId, DeviceIdentity device, ChecksumSpec checksum)
      implements MapOrigin {}

  /** What the plane finds, in its order. */
  private final List<String> storages = new ArrayList<>();

  private final FileMapCacheFixture.Locations locations = new FileMapCacheFixture.Locations();
  private final FakePlane plane = new FakePlane(this::find);
  private final FileMapCache cache =
      new FileMapCache(
          new FileMapSettings(1 << 20, 8, LONG, LONG, LONG),
          locations,
          plane,
          new FileMapCache.Surroundings(() -> 0, new ClientCounters(), map -> {}, Runnable::run));

  UnlistedFindingsTest() {
    plane.findsUnlisted = true;
    list();
  }

  private void list(ReplicaLocation... replicas) {
    locations.known.put(
        BLOCK, List.of(new BlockLocation(new TokenedBlock(BLOCK), List.of(replicas))));
  }

  private @Nullable FileMap find(BlockAsk ask) {
    List<String> order = new ArrayList<>(storages);
    order.sort((a, b) -> Boolean.compare(isBad(ask, a), isBad(ask, b)));
    return order.isEmpty() ? null : map(ask, order.get(0));
  }

  private static boolean isBad(BlockAsk ask, String storage) {
    return ask.badStorages().contains(storage);
  }

  private static FileMap map(BlockAsk ask, String storage) {
    ChecksumSpec checksum = new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7);
    Origin origin = new Origin("no DataNode", storage, DEVICE, checksum);
    return new FileMap(ask.block(), origin, 0, ExtentList.EMPTY, ExtentList.EMPTY, new FakeGuard());
  }

  /** Has the map rejected that is used now; the storage that it was of. */
  private String rejected(FallbackReason reason) throws Exception {
    FileMap map = cache.get(FileMapCacheFixture.request(1));
    cache.reject(map, reason);
    return map.storageId();
  }

  private void assertQuarantined() {
    assertThatThrownBy(() -> cache.get(FileMapCacheFixture.request(1)))
        .hasMessageContaining("REPLICA_QUARANTINED");
  }

  @AfterEach
  void close() {
    cache.close();
  }

  @Test
  void replicaIsUsedThatWasNotFoundBad() throws Exception {
    storages.addAll(List.of("DS-1", "DS-2", "DS-3"));
    assertThat(rejected(FallbackReason.CHECKSUM_MISMATCH)).isEqualTo("DS-1");
    assertThat(rejected(FallbackReason.DEVICE_IO_ERROR)).isEqualTo("DS-2");
    for (int i = 0; i < 3; i++) {
      assertThat(rejected(FallbackReason.LEASE_EXPIRED)).as("grew old").isEqualTo("DS-3");
    }
  }

  @Test
  void storageWhoseDeviceIsOfNoUseHereComesLast() throws Exception {
    storages.addAll(List.of("DS-1", "DS-2"));
    assertThat(rejected(FallbackReason.DEVICE_MISMATCH)).isEqualTo("DS-1");
    assertThat(cache.get(FileMapCacheFixture.request(1)).storageId()).isEqualTo("DS-2");
  }

  @Test
  void blockIsGivenUpWhenAllWereFoundBad() throws Exception {
    storages.addAll(List.of("DS-1", "DS-2", "DS-3"));
    for (String each : List.of("DS-1", "DS-2", "DS-3", "DS-1")) {
      assertThat(rejected(FallbackReason.CHECKSUM_MISMATCH)).isEqualTo(each);
    }
    assertQuarantined();
  }

  @Test
  void onlyReplicaIsTriedTwice() throws Exception {
    storages.add("DS-1");
    rejected(FallbackReason.CHECKSUM_MISMATCH);
    rejected(FallbackReason.CHECKSUM_MISMATCH);
    assertQuarantined();
  }

  @Test
  void dataNodeIsAskedForItsReplicaWhateverWasFound() throws Exception {
    list(new ReplicaLocation(new DataNodeId("host", 9866, 9864), "DS-1"));
    storages.add("DS-1");
    rejected(FallbackReason.CHECKSUM_MISMATCH);
    rejected(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(plane.asks).allSatisfy(ask -> assertThat(ask.badStorages()).isEmpty());
    assertQuarantined();
  }
}
