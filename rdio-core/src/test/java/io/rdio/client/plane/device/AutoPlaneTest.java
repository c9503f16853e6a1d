// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.FakePlane;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.TestBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class AutoPlaneTest {
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);
  private static final List<BlockAsk> ASKS =
      List.of(new BlockAsk(new TokenedBlock(new BlockKey("BP-1", 1, 1001)), "DS-1", false));

  private final DataNodes grants = new DataNodes();
  private final FakePlane device = new FakePlane(ask -> null);
  private final ManualClock clock = new ManualClock();
  private final AutoPlane plane = new AutoPlane(grants, device, clock);

  /** DataNodes that answer, or fail. */
  private static final class DataNodes implements MapPlane {
    final List<DataNodeId> asked = new ArrayList<>();
    final List<DataNodeId> askedAfter = new ArrayList<>();
    @Nullable FallbackReason failure;
    @Nullable FallbackException cause;
    boolean closed;

    @Override
    public void listen(MapListener listener) {}

    @Override
    public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
      asked.add(holder);
      if (failure != null) {
        throw new FallbackException(failure, "the DataNode", cause);
      }
      return List.of(
          MapOutcome.refused(new FallbackException(FallbackReason.PIN_LIMIT, "it said no")));
    }

    @Override
    public void requireAnswering(DataNodeId holder) throws FallbackException {
      askedAfter.add(holder);
      if (failure != null) {
        throw new FallbackException(failure, "the DataNode", cause);
      }
    }

    @Override
    public boolean discard(FileMap map) {
      return false;
    }

    @Override
    public void release(FileMap map) {}

    @Override
    public int held() {
      return 3;
    }

    @Override
    public long tend() {
      return 100;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private FallbackException refusal(DataNodeId holder) throws FallbackException {
    return Objects.requireNonNull(plane.maps(holder, ASKS).get(0).refusal());
  }

  @Test
  void whatADataNodeRefusesIsRefused() throws Exception {
    assertThat(refusal(HOLDER).reason()).isEqualTo(FallbackReason.PIN_LIMIT);
    assertThat(device.asks).isEmpty();
  }

  @Test
  void whereNobodyAnswersTheDeviceIsAsked() throws Exception {
    grants.failure = FallbackReason.METADATA_PLANE_UNREACHABLE;
    FallbackException refusal = refusal(HOLDER);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(refusal.detail()).contains("because of the DataNode");
    assertThat(device.asks).isEqualTo(ASKS);
    assertThat(device.holders).containsExactly(HOLDER);
  }

  /** Maps that came from the device stay under their own guards. */
  @Test
  void aDataNodeThatIsBackIsAskedForNewMaps() throws Exception {
    grants.failure = FallbackReason.METADATA_PLANE_UNREACHABLE;
    refusal(HOLDER);
    grants.failure = null;
    assertThat(refusal(HOLDER).reason()).isEqualTo(FallbackReason.PIN_LIMIT);
    assertThat(device.asks).as("the device was asked before").hasSize(1);
    assertThat(plane.held()).as("what either has").isEqualTo(3 + device.held());
  }

  /** Also where nothing was asked here before: leases are renewed behind this plane. */
  @Test
  void theBackOffFromSilenceIsTheSameSilence() throws Exception {
    grants.failure = FallbackReason.METADATA_PLANE_BACKOFF;
    grants.cause = new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "renew");
    refusal(HOLDER);
    assertThat(device.asks).isEqualTo(ASKS);
  }

  @ParameterizedTest
  @EnumSource(
      value = FallbackReason.class,
      names = {
        "METADATA_PLANE_ERROR",
        "METADATA_PLANE_UNAUTHENTIC",
        "TLS_FAILED",
        "TLS_REQUIRED",
        "PROTOCOL_MISMATCH",
        "DATANODE_BUSY",
        "DATANODE_NOT_READY",
        "INTERRUPTED"
      })
  void whoAnswersBadlyIsThere(FallbackReason reason) {
    grants.failure = reason;
    assertThatThrownBy(() -> plane.maps(HOLDER, ASKS)).hasMessageContaining(reason.name());
    assertThat(plane.mayBeSilent(HOLDER)).isFalse();
    grants.failure = FallbackReason.METADATA_PLANE_BACKOFF;
    grants.cause = new FallbackException(reason, "what it backs off from");
    assertThatThrownBy(() -> plane.maps(HOLDER, ASKS)).hasMessageContaining("BACKOFF");
    assertThat(plane.mayBeSilent(HOLDER)).isFalse();
    assertThat(plane.hasSilentDataNodes()).isFalse();
    assertThat(device.asks).isEmpty();
  }

  @Test
  void whereTheNameNodeNamesNobodyTheDeviceIsAskedAtOnce() throws Exception {
    assertThat(plane.findsUnlisted()).isFalse();
    device.findsUnlisted = true;
    assertThat(plane.findsUnlisted()).isTrue();
    assertThat(refusal(DataNodeId.NOBODY).reason()).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
    assertThat(device.holders).containsExactly(DataNodeId.NOBODY);
    assertThat(grants.asked).isEmpty();
  }

  @Test
  void aDataNodeIsSilentUntilItAnswers() throws Exception {
    refusal(HOLDER);
    assertThat(plane.hasSilentDataNodes()).isFalse();
    grants.failure = FallbackReason.METADATA_PLANE_UNREACHABLE;
    refusal(HOLDER);
    assertThat(plane.hasSilentDataNodes()).isTrue();
    grants.failure = null;
    refusal(new DataNodeId("dn2", 9866, 9864));
    assertThat(plane.hasSilentDataNodes()).as("another one answers").isTrue();
    refusal(HOLDER);
    assertThat(plane.hasSilentDataNodes()).isFalse();
  }

  @Test
  void whoeverIsSentToADataNodeFindsOutWhetherItAnswers() {
    assertThat(plane.mayBeSilent(HOLDER)).isFalse();
    grants.failure = FallbackReason.METADATA_PLANE_UNREACHABLE;
    assertThat(plane.mayBeSilent(HOLDER)).isTrue();
    assertThat(plane.hasSilentDataNodes()).as("for all others").isTrue();
    grants.failure = FallbackReason.METADATA_PLANE_BACKOFF;
    grants.cause = new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "hello");
    assertThat(plane.mayBeSilent(HOLDER)).isTrue();
    grants.failure = null;
    assertThat(plane.mayBeSilent(HOLDER)).isFalse();
    assertThat(plane.hasSilentDataNodes()).isFalse();
    assertThat(grants.askedAfter).hasSize(4);
    assertThat(device.asks).isEmpty();
  }

  @Test
  void nobodyAnswersWhereTheNameNodeNamesNobody() {
    assertThat(plane.mayBeSilent(DataNodeId.NOBODY)).isTrue();
    assertThat(grants.askedAfter).isEmpty();
    assertThat(plane.hasSilentDataNodes()).as("it may be that nobody has it").isFalse();
  }

  @Test
  void aDataNodeThatNobodyAsksAnyMoreIsNotSilentForEver() throws Exception {
    grants.failure = FallbackReason.METADATA_PLANE_UNREACHABLE;
    refusal(HOLDER);
    clock.advance(SilentDataNodes.MEMORY.minusNanos(1));
    assertThat(plane.hasSilentDataNodes()).isTrue();
    clock.advance(Duration.ofNanos(1));
    assertThat(plane.hasSilentDataNodes()).isFalse();
  }

  /** What is on no device, too, may be a block that somebody made up. */
  @Test
  void aBlockThatIsListedNowhereAndFoundIsOnOneThatIsSilent() throws Exception {
    refusal(DataNodeId.NOBODY);
    assertThat(plane.hasSilentDataNodes()).isFalse();
    TestBlock block = new TestBlock(1, 4096, ChecksumSpec.Type.CRC32C, 512, 4096, 4096);
    FakePlane finds = new FakePlane(ask -> block.map(new FakeGuard()));
    AutoPlane past = new AutoPlane(grants, finds, clock);
    past.maps(DataNodeId.NOBODY, ASKS);
    assertThat(past.hasSilentDataNodes()).isTrue();
  }

  @Test
  void bothAreTendedAndClosed() {
    assertThat(plane.held()).isEqualTo(3);
    assertThat(plane.tend()).isEqualTo(100);
    device.pause = 7;
    assertThat(plane.tend()).isEqualTo(7);
    plane.close();
    assertThat(grants.closed).isTrue();
    assertThat(device.closed).isTrue();
  }
}
