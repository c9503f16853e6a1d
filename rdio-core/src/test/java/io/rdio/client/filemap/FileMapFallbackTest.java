// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static io.rdio.client.filemap.FileMapCacheFixture.BACK_OFF;
import static io.rdio.client.filemap.FileMapCacheFixture.QUARANTINE;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.Refusal;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileMapFallbackTest {
  private final FileMapCacheFixture fixture = new FileMapCacheFixture();
  private final FakeDataNode a = fixture.dataNode("a");

  @BeforeEach
  void files() {
    fixture.file(List.of(1L), "a");
    fixture.file(List.of(2L), "a");
    fixture.file(List.of(3L), "a", "b");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aDataNodeWithoutPluginCostsOneCallAndNotOneForEachBlock() {
    a.failure = Status.UNAVAILABLE;
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(a.hellos).hasSize(1);
    fixture.advance(BACK_OFF);
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(a.hellos).hasSize(2);
  }

  @Test
  void aDataNodeThatComesBackIsUsedAfterTheBackOff() throws Exception {
    a.failure = Status.UNAVAILABLE;
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    a.failure = null;
    fixture.advance(BACK_OFF.dividedBy(2).minusMillis(1)); // as short as it may be
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    fixture.advance(BACK_OFF.dividedBy(2).plusMillis(1));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void nobodyListensAtAll() {
    a.close();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  @Test
  void anotherServiceOnThatPortIsAnError() {
    a.failure = Status.UNIMPLEMENTED;
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  @Test
  void whatANewerDataNodeSaysBesidesDoesNoHarm() throws Exception {
    byte[] fieldOfTomorrow = {(byte) 0xC0, 0x3E, 1}; // number 1000, a varint
    a.garbleBytes =
        bytes ->
            ByteBuffer.allocate(bytes.length + fieldOfTomorrow.length)
                .put(bytes)
                .put(fieldOfTomorrow)
                .array();
    a.garble =
        reply ->
            reply.toBuilder()
                .setBlocks(
                    0,
                    BlockGrant.newBuilder()
                        .setRefusal(Refusal.newBuilder().setReason("REASON_OF_TOMORROW")))
                .build();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    a.garble = UnaryOperator.identity();
    assertThat(fixture.isValid(fixture.get(2))).isTrue();
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aBusyDataNodeIsLeftAloneForThatBlockOnly() throws Exception {
    a.beBusy();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DATANODE_BUSY);
    int asked = a.hellos.size();
    a.failure = null;
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DATANODE_BUSY);
    assertThat(a.hellos).hasSize(asked);
    assertThat(fixture.isValid(fixture.get(2))).isTrue();
    fixture.advance(Duration.ofMillis(50));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aBlockOfADataNodeThatStaysBusyIsAskedForMoreAndMoreRarely() {
    a.beBusy();
    for (int i = 0; i < 600; i++) {
      assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DATANODE_BUSY);
      fixture.advance(Duration.ofMillis(10));
    }
    // Of six seconds, with pauses of 50 ms to 3.2 s, or at chance's worst of half of that.
    assertThat(a.hellos).hasSizeBetween(6, 9);
  }

  @ParameterizedTest
  @ValueSource(ints = {ProtocolVersion.CURRENT + 1, ProtocolVersion.OLDEST - 1, -1})
  void anotherProtocolVersionIsRefusedBeforeAnyGrant(int version) {
    a.protocolVersion = version;
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.PROTOCOL_MISMATCH);
    assertThat(a.grants).isEmpty();
  }

  @Test
  void anAnswerForAnotherNumberOfBlocksIsAnError() {
    a.garble = reply -> reply.toBuilder().clearBlocks().build();
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  @ParameterizedTest
  @EnumSource(
      value = FallbackReason.class,
      names = {"REPLICA_NOT_FOUND", "PIN_LIMIT", "RECALL_PENDING", "EXTENTS_UNMAPPABLE"})
  void aRefusalLeadsToTheNextReplica(FallbackReason refusal) throws Exception {
    a.refuse(3, refusal);
    FakeDataNode b = fixture.dataNode("b");
    assertThat(fixture.get(3).dataNode()).isEqualTo(b.endpoint);
  }

  @Test
  void aMeaningfulRefusalSpeaksForABlockAndNotBackOff() {
    FakeDataNode b = fixture.dataNode("b");
    b.failure = Status.UNAVAILABLE;
    a.refuse(3, FallbackReason.PIN_FAILED);
    assertThat(fixture.refusal(3)).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    fixture.advance(Duration.ofSeconds(4));
    assertThat(fixture.refusal(3)).isEqualTo(FallbackReason.PIN_FAILED);
  }

  @Test
  void aRefusedBlockIsNotAskedForByEachRead() throws Exception {
    a.refuse(1, FallbackReason.REPLICA_NOT_FOUND);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(a.grants).hasSize(1);
    assertThat(fixture.locations.forgotten).containsExactly(FileMapCacheFixture.key(1));
    a.grantAgain(1);
    fixture.advance(Duration.ofSeconds(3));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aRefusalIsOverHoweverOftenItsBlockIsRead() throws Exception {
    a.refuse(1, FallbackReason.PIN_FAILED);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.PIN_FAILED);
    a.grantAgain(1);
    for (int i = 0; i < 2; i++) {
      fixture.advance(Duration.ofSeconds(1));
      assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.PIN_FAILED);
    }
    fixture.advance(Duration.ofSeconds(1));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aRefusalThatIsSoonOverIsAskedAgainAtOnce() throws Exception {
    a.refuse(1, FallbackReason.DATANODE_NOT_READY);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DATANODE_NOT_READY);
    a.grantAgain(1);
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aMapOfAnotherBlockIsAnError() {
    a.garble =
        reply -> {
          GrantReply.Builder edited = reply.toBuilder();
          edited.getBlocksBuilder(0).getFileMapBuilder().getBlockBuilder().setBlockId(2);
          return edited.build();
        };
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
  }

  @Test
  void aBlockWithoutLocations() {
    assertThat(fixture.refusal(99)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    fixture.file(List.of(98L));
    assertThat(fixture.refusal(98)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
  }

  /** The next one may ask by the right name of the file. */
  @Test
  void whatALocatorDidNotFindIsForTheLocatorToRemember() throws Exception {
    List<BlockLocation> found = fixture.locations.known.remove(FileMapCacheFixture.key(1));
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.LOCATION_UNKNOWN);
    fixture.locations.known.put(FileMapCacheFixture.key(1), found);
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aRejectedMapEndsIsReturnedAndTheNextReplicaTaken() throws Exception {
    FakeDataNode b = fixture.dataNode("b");
    FileMap bad = fixture.get(3);
    fixture.cache.reject(bad, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.isValid(bad)).isFalse();
    fixture.cache.tend();
    assertThat(a.returned).containsExactly(Lease.of(bad).id());
    assertThat(fixture.get(3).dataNode()).isEqualTo(b.endpoint);
  }

  @Test
  void aSecondMismatchQuarantinesTheBlockForAWhile() throws Exception {
    fixture.cache.reject(fixture.get(1), FallbackReason.CHECKSUM_MISMATCH);
    fixture.cache.reject(fixture.get(1), FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.REPLICA_QUARANTINED);
    fixture.advance(QUARANTINE.minusMillis(1));
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.REPLICA_QUARANTINED);
    assertThat(fixture.isValid(fixture.get(2))).isTrue();
    fixture.advance(Duration.ofMillis(1));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aDeviceThatFailedTwiceIsTriedAgainAfterTheBackOff() throws Exception {
    fixture.cache.reject(fixture.get(1), FallbackReason.DEVICE_IO_ERROR);
    fixture.cache.reject(fixture.get(1), FallbackReason.DEVICE_IO_ERROR);
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    fixture.advance(BACK_OFF.minusMillis(1));
    assertThat(fixture.refusal(1)).isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    fixture.advance(Duration.ofMillis(1));
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void twoReadersOfOneBadMapAreOneFinding() throws Exception {
    FileMap bad = fixture.get(1);
    fixture.cache.reject(bad, FallbackReason.CHECKSUM_MISMATCH);
    fixture.cache.reject(bad, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aMapThatGrewOldIsNoFinding() throws Exception {
    for (int i = 0; i < 3; i++) {
      fixture.cache.reject(fixture.get(1), FallbackReason.LEASE_EXPIRED);
    }
    assertThat(fixture.isValid(fixture.get(1))).isTrue();
  }

  @Test
  void aStorageWhoseDeviceIsNotHereIsNotAskedAgain() throws Exception {
    FakeDataNode b = fixture.dataNode("b");
    fixture.cache.reject(fixture.get(1), FallbackReason.DEVICE_NOT_FOUND);
    assertThat(fixture.refusal(2)).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
    assertThat(fixture.get(3).dataNode()).isEqualTo(b.endpoint);
    assertThat(a.grants).hasSize(1);
    fixture.advance(BACK_OFF);
    assertThat(fixture.isValid(fixture.get(2))).isTrue();
  }

  @Test
  void anInterruptedReaderFailsAloneAndItsDataNodeStaysInUse() throws Exception {
    a.holdGrants = true;
    FutureTask<FileMap> interrupted = new FutureTask<>(() -> fixture.get(1));
    Thread thread = new Thread(interrupted);
    thread.start();
    await().until(() -> a.heldAnswers.size() == 1);
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<FileMap> waiting = other.submit(() -> fixture.get(1));
      await().until(() -> fixture.counters.mapMisses.sum() == 2);
      thread.interrupt();
      assertThatThrownBy(interrupted::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.INTERRUPTED));
      await().until(() -> a.heldAnswers.size() == 2);
      a.holdGrants = false;
      a.heldAnswers.remove();
      a.answerHeld();
      assertThat(fixture.isValid(waiting.get())).isTrue();
    } finally {
      other.shutdownNow();
    }
  }
}
