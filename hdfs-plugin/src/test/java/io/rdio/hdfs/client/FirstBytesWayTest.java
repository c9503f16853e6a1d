// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.RangeReads;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWays;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An accessor whose map is on its way. */
class FirstBytesWayTest {
  private static final int LENGTH = 100_001;
  private static final int MOST = 10_000;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private volatile boolean loaded;

  @Test
  void stockServesUntilTheMapIsHere() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[300];
    assertThat(accessor.read(1000, got, 0, 100)).isEqualTo(100);
    assertThat(fixture.maps.begun()).as("loads for who reads no more").isZero();
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(accessor.isLocal()).isFalse();
    assertThat(accessor.getNetworkDistance()).isEqualTo(FakeDataNodes.DISTANCE);
    assertThat(accessor.read(1100, ByteBuffer.wrap(got, 100, 100))).isEqualTo(100);
    assertThat(fixture.maps.begun()).isEqualTo(1);
    loaded = true;
    assertThat(accessor.read(1200, got, 200, 100)).isEqualTo(100);

    assertThat(got).isEqualTo(block.range(1000, 300));
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(accessor.getNetworkDistance()).isZero();
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 1000+10000");
    assertThat(dataNodes.openReaders).isZero();
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(200);
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(100);
    assertThat(fixture.counters.fallbacks(FallbackReason.FIRST_READ)).isEqualTo(1);
  }

  @Test
  void readerWaitsForTheMapBehindTheFirstBytes() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[LENGTH];
    ByteBuffer target = ByteBuffer.wrap(got);
    assertThat(accessor.read(0, target)).isEqualTo(MOST);
    assertThat(target.position()).isEqualTo(MOST);
    // The load is still not done: the source of maps is asked, and has one.
    assertThat(accessor.read(MOST, target)).isEqualTo(LENGTH - MOST);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(LENGTH - MOST);
  }

  @Test
  void mapIsLoadedAtOnceForABlockThatIsReadAgain() throws Exception {
    Detours detours = new Detours(MOST, false, null);
    fixture.maps.loadsAre(() -> loaded);
    open(detours, LENGTH).close();
    assertThat(fixture.maps.begun()).isZero();
    RdioReplicaAccessor again = open(detours, LENGTH);
    assertThat(fixture.maps.begun()).isEqualTo(1);
    assertThat(again.read(0, new byte[10], 0, 10)).isEqualTo(10);
    assertThat(fixture.counters.fallbacks(FallbackReason.MAP_LOADING)).isEqualTo(1);
  }

  @Test
  void mapIsLoadedAtOnceForAReadBehindTheFirstBytes() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    assertThat(accessor.read(0, new byte[LENGTH], 0, LENGTH)).isEqualTo(MOST);
    assertThat(fixture.maps.begun()).isEqualTo(1);
  }

  @Test
  void otherBytesThanTheFirstWaitToo() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[100];
    accessor.read(50_000, got, 0, 10);
    assertThat(accessor.read(0, got, 0, 100)).isEqualTo(100);
    assertThat(got).isEqualTo(block.range(0, 100));
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(100);
  }

  @Test
  void hadoopItselfReadsASmallBlockUntilItIsReadAgainAndItsMapIsHere() throws Exception {
    Detours detours = new Detours(MOST, false, null);
    fixture.maps.loadsAre(() -> loaded);
    assertThat(refusal(detours)).isEqualTo(FallbackReason.FIRST_READ);
    assertThat(refusal(detours)).isEqualTo(FallbackReason.MAP_LOADING);
    loaded = true;
    RdioReplicaAccessor accessor = open(detours, MOST);
    assertThat(accessor.read(0, new byte[10], 0, 10)).isEqualTo(10);
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(dataNodes.calls).isEmpty();
  }

  private FallbackReason refusal(Detours detours) {
    return catchThrowableOfType(FallbackException.class, () -> open(detours, MOST)).reason();
  }

  @Test
  void aSmallErasureCodedBlockWaitsForItsMapWhereDataNodesMayBeDead() throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    RdioReplicaAccessor accessor = openStriped(new Detours(MOST, true, null), MOST);
    assertThat(accessor.isShortCircuit()).isTrue();
    byte[] got = new byte[100];
    assertThat(accessor.read(7, got, 0, 100)).isEqualTo(100);
    assertThat(got).isEqualTo(block.range(7, 100));
    assertThat(dataNodes.calls).isEmpty();
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(100);
  }

  @Test
  void itDoesNotWhereOnlyDataNodesHaveMaps() {
    fixture.maps.loadsAre(() -> loaded);
    Detours detours = new Detours(MOST, false, null);
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> openStriped(detours, MOST));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.FIRST_READ);
  }

  @Test
  void otherBlocksDoNotWaitWhereDataNodesMayBeDead() throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    Detours detours = new Detours(MOST, true, null);
    assertThat(refusal(detours)).as("its stream comes again").isEqualTo(FallbackReason.FIRST_READ);
    assertThat(openStriped(detours, LENGTH).isShortCircuit())
        .as("an accessor asks the device where stock HDFS fails")
        .isFalse();
  }

  /** Stock HDFS may have failed at the first visit, and its stream fails at the third. */
  @Test
  void aSmallBlockThatIsReadAgainWaitsForItsMapWhereDataNodesMayBeDead() throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    Detours detours = new Detours(MOST, true, null);
    assertThat(refusal(detours)).isEqualTo(FallbackReason.FIRST_READ);
    assertThat(open(detours, MOST).isShortCircuit()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {MOST, LENGTH})
  void nobodyIsSentToStockHdfsWhileADataNodeIsSilent(int visibleLength) throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    fixture.maps.dataNodeIsSilent();
    RdioReplicaAccessor accessor = open(new Detours(MOST, true, null), visibleLength);
    assertThat(accessor.isShortCircuit()).isTrue();
    byte[] got = new byte[100];
    assertThat(accessor.read(7, got, 0, 100)).isEqualTo(100);
    assertThat(got).isEqualTo(block.range(7, 100));
    assertThat(dataNodes.calls).isEmpty();
  }

  /** A host that is gone costs stock HDFS a minute, if it has no other. */
  @ParameterizedTest
  @ValueSource(ints = {MOST, LENGTH})
  void nobodyIsSentToADataNodeThatDoesNotAnswer(int visibleLength) throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    fixture.maps.dataNodeDoesNotAnswer();
    Detours detours = new Detours(MOST, true, null);
    for (int visit = 1; visit <= 2; visit++) {
      RdioReplicaAccessor accessor = open(detours, visibleLength);
      assertThat(accessor.isShortCircuit()).isTrue();
      byte[] got = new byte[100];
      assertThat(accessor.read(7, got, 0, 100)).isEqualTo(100);
      assertThat(got).isEqualTo(block.range(7, 100));
    }
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void nobodyAsksWhetherADataNodeAnswersWhereOnlyDataNodesHaveMaps() {
    fixture.maps.loadsAre(() -> loaded);
    fixture.maps.dataNodeDoesNotAnswer();
    assertThat(refusal(new Detours(MOST, false, null))).isEqualTo(FallbackReason.FIRST_READ);
    assertThat(fixture.maps.askedAfter()).isZero();
  }

  @Test
  void deviceServesWhereNoDataNodeCan() throws Exception {
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[100];
    assertThat(accessor.read(7, got, 0, 100)).isEqualTo(100);
    assertThat(got).isEqualTo(block.range(7, 100));
    assertThat(accessor.isShortCircuit()).isTrue();
  }

  @Test
  void stockGoesOnWhereTheMapIsRefused() throws Exception {
    Lease.of(fixture.maps.get(block.request)).end(); // the only map there is
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[LENGTH];
    assertThat(accessor.read(0, got, 0, 100)).isEqualTo(100);
    loaded = true;
    assertThat(accessor.read(100, got, 100, LENGTH - 100)).isEqualTo(LENGTH - 100);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(fixture.counters.fallbacks(FallbackReason.METADATA_PLANE_UNREACHABLE)).isEqualTo(1);
    accessor.close();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void closeEndsTheStockReader() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    accessor.read(0, new byte[10], 0, 10);
    assertThat(dataNodes.openReaders).isEqualTo(1);
    accessor.close();
    assertThat(dataNodes.openReaders).isZero();
    assertThatThrownBy(() -> accessor.read(10, new byte[10], 0, 10))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void closeDuringTheFirstReadLeavesNothingOpen() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    dataNodes.onPacket = (replica, offset) -> accessor.close();
    byte[] got = new byte[10];
    assertThat(accessor.read(0, got, 0, 10)).isEqualTo(10);
    assertThat(got).isEqualTo(Arrays.copyOf(block.bytes, 10));
    assertThat(dataNodes.openReaders).isZero();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void aVectoredReadOfLittleLoadsNoMap() throws Exception {
    fixture.maps.loadsAre(() -> loaded);
    BlockWays ways = DeviceWays.of(fixture.context, new Detours(MOST, false, null));
    BlockToRead whole = new BlockToRead(block.request, true, LENGTH, dataNodes);
    assertThat(ways.mayHaveRanges()).isTrue();
    assertThat(ways.openRanges(whole, MOST)).isNull();
    assertThat(fixture.maps.begun()).isZero();
    try (RangeReads ranges = ways.openRanges(whole, MOST + 1)) {
      assertThat(ranges).isNotNull();
    }
    loaded = true;
    try (RangeReads ranges = ways.openRanges(whole, MOST)) {
      assertThat(ranges).as("of a block whose map is here").isNotNull();
    }
  }

  private RdioReplicaAccessor open(long visibleLength) throws FallbackException {
    fixture.maps.loadsAre(() -> loaded);
    return open(new Detours(MOST, false, null), visibleLength);
  }

  private RdioReplicaAccessor open(Detours detours, long visibleLength) throws FallbackException {
    return open(detours, block.request, visibleLength);
  }

  /** The same bytes as those of an internal block. */
  private RdioReplicaAccessor openStriped(Detours detours, long visibleLength)
      throws FallbackException {
    BlockKey internal = new BlockKey(block.key.poolId(), Long.MIN_VALUE + 17, 1001);
    return open(detours, new BlockRequest(new TokenedBlock(internal), "/striped"), visibleLength);
  }

  private RdioReplicaAccessor open(Detours detours, BlockRequest request, long visibleLength)
      throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(fixture.context, detours),
        new BlockToRead(request, true, visibleLength, dataNodes));
  }
}
