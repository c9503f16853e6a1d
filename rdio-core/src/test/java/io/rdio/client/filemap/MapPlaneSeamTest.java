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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the FileMap cache asks of a metadata plane, and what it is told by it. */
final class MapPlaneSeamTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final DataNodeId DATA_NODE = new DataNodeId("host", 9866, 9864);

  private record Origin(
      String dataNode, String storageId, DeviceIdentity device, ChecksumSpec checksum)
      implements MapOrigin {}

  private static final Origin ORIGIN =
      new Origin(
          "host:9866",
          "DS-1",
          new DeviceIdentity("ext4", new UUID(1, 2), 1 << 20, "", 0, "/dev/x"),
          new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));

  private final List<FileMap> withdrawn = new ArrayList<>();
  private final FileMapCacheFixture.Locations locations = new FileMapCacheFixture.Locations();
  private final FakePlane plane = new FakePlane(MapPlaneSeamTest::map);
  private final FileMapCache cache =
      new FileMapCache(
          new FileMapSettings(1 << 20, 8, LONG, LONG, LONG),
          locations,
          plane,
          new FileMapCache.Surroundings(
              () -> 0, new ClientCounters(), withdrawn::add, Runnable::run));

  MapPlaneSeamTest() {
    List<BlockLocation> file = List.of(location(1, "DS-1"), location(2, "DS-2"));
    locations.known.put(key(1), file);
    locations.known.put(key(2), file.subList(1, 2));
  }

  private static BlockKey key(long id) {
    return FileMapCacheFixture.key(id);
  }

  private static BlockLocation location(long id, String storageId) {
    return new BlockLocation(
        new TokenedBlock(key(id)), List.of(new ReplicaLocation(DATA_NODE, storageId)));
  }

  private static FileMap map(BlockAsk ask) {
    return new FileMap(ask.block(), ORIGIN, 0, ExtentList.EMPTY, ExtentList.EMPTY, new FakeGuard());
  }

  private FileMap get(long id) throws Exception {
    return cache.get(FileMapCacheFixture.request(id));
  }

  private static FakeGuard guard(FileMap map) {
    return (FakeGuard) map.guard();
  }

  @AfterEach
  void close() {
    cache.close();
    assertThat(plane.closed).isTrue();
  }

  @Test
  void thePlaneKnowsWhetherDataNodesAreSilent() {
    assertThat(cache.hasSilentDataNodes()).isFalse();
    plane.hasSilent = true;
    assertThat(cache.hasSilentDataNodes()).isTrue();
  }

  private boolean mayBeSilent(long id) {
    return cache.mayBeSilent(FileMapCacheFixture.request(id));
  }

  /** HDFS chooses one of them, by chance where all are as near. */
  @Test
  void anyDataNodeOfABlockMayBeTheSilentOne() {
    DataNodeId other = new DataNodeId("other", 9866, 9864);
    List<ReplicaLocation> replicas =
        List.of(new ReplicaLocation(DATA_NODE, "DS-1"), new ReplicaLocation(other, "DS-2"));
    locations.known.put(
        key(5), List.of(new BlockLocation(new TokenedBlock(key(5)), replicas), location(6, "")));
    assertThat(mayBeSilent(5)).isFalse();
    assertThat(plane.askedAfter).containsExactly(DATA_NODE, other);
    plane.silent.add(other);
    assertThat(mayBeSilent(5)).isTrue();
    assertThat(mayBeSilent(1)).as("another block").isFalse();
    assertThat(plane.asks).as("maps").isEmpty();
  }

  @Test
  void nobodyIsSilentForABlockOfWhichNothingIsKnown() {
    plane.silent.add(DataNodeId.NOBODY);
    assertThat(mayBeSilent(5)).isFalse();
    assertThat(plane.askedAfter).isEmpty();
  }

  @Test
  void theDataNodeOfAnUnlistedBlockIsSilentIfAPlaneMayFindItAllTheSame() {
    locations.known.put(key(5), List.of(unlisted(5)));
    plane.silent.add(DataNodeId.NOBODY);
    assertThat(mayBeSilent(5)).isFalse();
    plane.findsUnlisted = true;
    assertThat(mayBeSilent(5)).isTrue();
  }

  @Test
  void oneAskOfTheHolderNamesBlocksAndStorages() throws Exception {
    FileMap first = get(1);

    assertThat(plane.holders).containsExactly(DATA_NODE);
    assertThat(plane.asks).extracting(BlockAsk::block).containsExactly(key(1), key(2));
    assertThat(plane.asks).extracting(BlockAsk::storageId).containsExactly("DS-1", "DS-2");
    assertThat(plane.asks).extracting(BlockAsk::speculative).containsExactly(false, true);
    assertThat(get(1)).isSameAs(first);
    get(2);
    assertThat(plane.holders).as("the second block came along").hasSize(1);
    assertThat(cache.leasesHeld()).isEqualTo(2);
  }

  private static BlockLocation unlisted(long id) {
    return new BlockLocation(new TokenedBlock(key(id)), List.of());
  }

  @Test
  void unlistedBlocksAreAskedForWithoutHolderOrStorage() throws Exception {
    plane.findsUnlisted = true;
    locations.known.put(key(5), List.of(unlisted(5), location(6, "DS-1"), unlisted(7)));
    get(5);
    assertThat(plane.holders).containsExactly(DataNodeId.NOBODY);
    assertThat(plane.asks).extracting(BlockAsk::block).containsExactly(key(5), key(7));
    assertThat(plane.asks).extracting(BlockAsk::storageId).containsExactly("", "");
  }

  @Test
  void listedBlockDoesNotHaveUnlistedOnesComeAlong() throws Exception {
    plane.findsUnlisted = true;
    locations.known.put(key(5), List.of(location(5, "DS-1"), unlisted(6)));
    get(5);
    assertThat(plane.asks).extracting(BlockAsk::block).containsExactly(key(5));
  }

  @Test
  void planeThatNeedsAHolderIsNotAskedForAnUnlistedBlock() {
    locations.known.put(key(5), List.of(unlisted(5)));
    assertThatThrownBy(() -> get(5))
        .hasMessageContaining("LOCATION_UNKNOWN")
        .hasMessageContaining("lists no DataNode");
    assertThat(plane.holders).isEmpty();
    assertThat(locations.forgotten).containsExactly(key(5));
  }

  @Test
  void mapThatThePlaneLostIsWithdrawnAndGone() throws Exception {
    FileMap lost = get(1);
    guard(lost).admitNobody();

    plane.listener().lost(lost);

    assertThat(withdrawn).containsExactly(lost);
    assertThat(cache.peek(key(1))).isNull();
    assertThat(get(1)).isNotSameAs(lost);
  }

  @Test
  void mapThatRanOutIsGoneAndNotWithdrawn() throws Exception {
    FileMap old = get(1);

    plane.listener().ranOut(old);

    assertThat(withdrawn).isEmpty();
    assertThat(cache.holds(key(1))).isFalse();
    assertThat(plane.released).containsExactly(old);
  }

  @Test
  void mapWhoseGuardAdmitsNobodyIsAskedForAgain() throws Exception {
    FileMap old = get(1);
    guard(old).fail();

    assertThat(get(1)).isNotSameAs(old);
    assertThat(plane.released).containsExactly(old);
  }

  @Test
  void rejectedMapIsDiscardedNotReleased() throws Exception {
    FileMap bad = get(1);

    cache.reject(bad, FallbackReason.CHECKSUM_MISMATCH);

    assertThat(plane.discarded).containsExactly(bad);
    assertThat(plane.released).isEmpty();
    assertThat(withdrawn).containsExactly(bad);
  }

  @Test
  void aPlaneWhoseMapsNeverRunOutIsTendedAllTheSame() throws Exception {
    cache.start();
    assertThat(plane.tended.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    plane.tended.drainPermits(); // by now it waits for a day

    assertThat(get(1).guard().remainingNanos(0)).isEqualTo(Long.MAX_VALUE);

    assertThat(plane.tended.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void planeSaysWhenItIsTendedNext() {
    plane.pause = 42;

    assertThat(cache.tend()).isEqualTo(42);
  }
}
