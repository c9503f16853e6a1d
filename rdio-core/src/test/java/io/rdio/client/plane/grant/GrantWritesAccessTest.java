// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.client.plane.grant.GrantWritesFixture.BLOCK;
import static io.rdio.client.plane.grant.GrantWritesFixture.TARGET;
import static io.rdio.client.plane.grant.GrantWritesFixture.ask;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcs;
import static io.rdio.client.plane.grant.GrantWritesFixture.refusal;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.write.SlotEnd;
import io.rdio.core.write.UnregisteredHostException;
import io.rdio.datanode.allocate.AllocateResult;
import io.rdio.datanode.allocate.FakeWriteRoom;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who is lent slots: with which token, of which protocol, and registered with which device. */
final class GrantWritesAccessTest extends GrantWritesTestBase {
  private static final byte[] NO_TOKEN = {};

  private void switchTokensOff() {
    fixture.dataNode.hdfs.switchTokensOff();
    fixture.room.tokensOn = false;
  }

  @Test
  void tokenOfAnotherModeIsRefused() {
    FallbackException refusal =
        refusal(() -> fixture.writes.allocate(TARGET, FakeHdfs.TOKEN, ask(BLOCK)));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal.detail()).contains("not of mode WRITE");
  }

  @Test
  void tokenWithAnotherPasswordIsRefused() {
    byte[] forged = "\6tokenW\7SECRETW\0\0".getBytes(US_ASCII);
    assertThat(refusal(() -> fixture.writes.allocate(TARGET, forged, ask(BLOCK))).reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(fixture.room.allocations).isEmpty();
  }

  @Test
  void forgedTokenIsRefusedInASessionTooThatAnotherOpened() throws Exception {
    fixture.allocate(BLOCK);
    byte[] forged = "\6tokenW\7SECRETW\0\0".getBytes(US_ASCII);

    FallbackException refusal =
        refusal(() -> fixture.writes.allocate(TARGET, forged, ask(FakeHdfs.block(2))));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(fixture.room.allocations).hasSize(1);
  }

  @Test
  void withoutTokenAndTlsNobodyIsAsked() {
    switchTokensOff();

    assertThat(refusal(() -> fixture.writes.allocate(TARGET, NO_TOKEN, ask(BLOCK))).reason())
        .isEqualTo(FallbackReason.WRITE_UNPROVEN);
    assertThat(fixture.room.allocations).isEmpty();
  }

  @Test
  void clientThatTrustsThePortWritesWithoutTokens() throws Exception {
    switchTokensOff();
    fixture.connect(ProtocolRange.SUPPORTED, true);
    WriteSlot slot = fixture.writes.allocate(TARGET, NO_TOKEN, ask(BLOCK));

    assertThat(fixture.writes.renew(TARGET, List.of(slot)).get(0)).isPresent();
    fixture.writes.commit(TARGET, slot, 1000, crcs(1000));
    fixture.writes.abort(TARGET, List.of(new Ended(slot, SlotEnd.UNDER_WAY)));

    assertThat(fixture.room.committed).containsKey(BLOCK);
    assertThat(fixture.room.aborts).containsExactly("1 UNDER_WAY");
  }

  @ParameterizedTest(name = "client to {0}, DataNode to {1}, writes on: {2}")
  @CsvSource({"3,2,true", "2,3,true", "3,3,false"})
  void whoeverKnowsNoWritesReadsAsEver(int clientMax, int serverMax, boolean on) throws Exception {
    fixture.serveInstead(new ProtocolRange(1, serverMax), on);
    fixture.connect(new ProtocolRange(1, clientMax), false);

    FallbackException refusal = refusal(() -> fixture.allocate(BLOCK));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
    assertThat(fixture.room.allocations).isEmpty();
    PlaneGreeting.Volume volume = fixture.client.hello(fixture.endpoint()).volumes().get(0);
    assertThat(volume.refusal()).isNull();
    assertThat(volume.writeRefusal().reason()).isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
    BlockKey readable = fixture.dataNode.hdfs.write(5, 5000);
    List<MapOutcome> outcomes =
        fixture.client.grant(fixture.endpoint(), List.of(FakeHdfs.ask(readable)));
    assertThat(outcomes.get(0).refusal()).isNull();
  }

  /** W8: the host learns with which device to register, and which key will not do. */
  @Test
  void hostThatIsNotRegisteredIsToldWithWhatToRegister() throws Exception {
    fixture.room.allocating =
        CompletableFuture.completedFuture(
            new AllocateResult.Refused(
                FallbackReason.WRITE_UNFENCED, "by the test", GrantFixture.DEVICE, -5));

    assertThat(refusal(() -> fixture.allocate(BLOCK)))
        .isInstanceOfSatisfying(
            UnregisteredHostException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
              assertThat(e.detail()).contains("by the test");
              assertThat(e.device()).isEqualTo(GrantFixture.DEVICE);
              assertThat(e.ioMillis()).isEqualTo(FakeWriteRoom.IO_MILLIS);
              assertThat(e.doomedKey()).isEqualTo(-5);
            });

    fixture.room.allocating =
        CompletableFuture.completedFuture(
            new AllocateResult.Refused(FallbackReason.WRITE_UNFENCED, "another host's"));
    assertThat(refusal(() -> fixture.allocate(BLOCK)))
        .isNotInstanceOf(UnregisteredHostException.class);
  }
}
