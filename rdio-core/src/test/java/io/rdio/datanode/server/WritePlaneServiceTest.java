// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.datanode.server.WritePlaneFixture.ALLOCATIONS_MAX;
import static io.rdio.datanode.server.WritePlaneFixture.BLOCK;
import static io.rdio.datanode.server.WritePlaneFixture.CLIENT;
import static io.rdio.datanode.server.WritePlaneFixture.asking;
import static io.rdio.datanode.server.WritePlaneFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateReply;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.SessionAuth;
import io.rdio.core.wire.proto.WritePlaneGrpc;
import io.rdio.datanode.allocate.AllocateResult;
import io.rdio.datanode.allocate.FakeWriteRoom;
import io.rdio.datanode.grant.FakeHdfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write plane's short calls, of well-made and of other clients. */
final class WritePlaneServiceTest {
  private static final SessionAuth UNKNOWN =
      SessionAuth.newBuilder()
          .setSessionId(GrantProof.newNonce())
          .setNonce(GrantProof.newNonce())
          .setProof(ByteString.copyFrom(new byte[32]))
          .build();

  @TempDir Path root;
  private WritePlaneFixture plane;

  @BeforeEach
  void start() throws IOException {
    plane = new WritePlaneFixture(root);
  }

  @AfterEach
  void stop() {
    plane.close();
  }

  private static Status status(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run).getStatus();
  }

  private static void isInvalid(Runnable call, String words) {
    Status status = status(call);
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).contains(words);
  }

  private String refusal(AllocateRequest.Builder request) {
    return plane.stub().allocate(request.build()).getRefusal().getReason();
  }

  @Test
  void slotIsLentAsTheRoomSays() {
    AllocateReply reply = plane.stub().allocate(asking(BLOCK).setHostKey(77).build());

    SlotGrant grant = WriteCodec.decode(reply.getGrant());
    assertThat(grant.block()).isEqualTo(BLOCK);
    assertThat(grant.incarnation()).isEqualTo(plane.room.incarnation());
    assertThat(grant.leaseMillis()).isEqualTo(FakeWriteRoom.LEASE_MILLIS);
    assertThat(grant.ioMillis()).isEqualTo(FakeWriteRoom.IO_MILLIS);
    assertThat(grant.extents().length()).isEqualTo(FakeWriteRoom.SLOT_BYTES);
    assertThat(List.of(grant.slot(), grant.nonce(), (long) grant.unit()))
        .containsExactly(7L, -9L, 4096L);
    assertThat(grant.fenced()).isTrue();
    assertThat(plane.room.allocations)
        .singleElement()
        .satisfies(
            command -> {
              assertThat(command.holder().clientId()).isEqualTo(CLIENT);
              assertThat(command.tokened().token()).isEmpty();
              assertThat(command.storageId()).isEqualTo("DS-1");
              assertThat(command.bytes()).isEqualTo(1 << 20);
              assertThat(command.hostKey()).isEqualTo(77);
            });
  }

  private void isInvalid(AllocateRequest.Builder request, String words) {
    isInvalid(() -> plane.stub().allocate(request.build()), words);
    assertThat(plane.room.allocations).isEmpty();
  }

  @Test
  void requestForASlotHasItsBounds() {
    isInvalid(asking(BLOCK).setBytes(0), "bytes to write is 0");
    isInvalid(asking(BLOCK).setBytes((1L << 30) + 1), "bytes to write is 1073741825");
    isInvalid(asking(BLOCK).setChecksumType(0), "checksum type is 0");
    isInvalid(asking(BLOCK).setChecksumType(3), "checksum type is 3");
    isInvalid(asking(BLOCK).setBytesPerChecksum(511), "bytes per checksum is 511");
    isInvalid(asking(BLOCK).setStorageId("../x"), "storage_id of 4 characters");
    isInvalid(asking(BLOCK).setStorageId("D".repeat(129)), "storage_id of 129 characters");
    isInvalid(asking(BLOCK).setClientId("a\nb"), "line feed");
    isInvalid(asking(BLOCK).setClientId("c".repeat(9_000)), "client_id has 9000");
    isInvalid(asking(BLOCK).setStorageId("D".repeat(9_000)), "an allocation without its token has");
    isInvalid(asking(BLOCK).clearBlock(), "pool_id");
    AllocateRequest.Builder token = asking(BLOCK);
    token.getBlockBuilder().setToken(ByteString.copyFrom(FakeWriteRoom.WRITE_TOKEN));
    isInvalid(token, "never sent");
    AllocateRequest.Builder large = asking(BLOCK);
    large.getBlockBuilder().setTokenIdentifier(ByteString.copyFrom(new byte[65 << 10]));
    isInvalid(large, "a block token of 66560 bytes");
    isInvalid(asking(BLOCK).setAuth(UNKNOWN.toBuilder().setNonce(ByteString.EMPTY)), "0 bytes");
  }

  @Test
  void versionWithoutWritesIsRefused() {
    for (int version : new int[] {-1, 0, 1, 2, 4}) {
      assertThat(refusal(asking(BLOCK).setProtocolVersion(version)))
          .isEqualTo(FallbackReason.PROTOCOL_MISMATCH.name());
    }
    assertThat(plane.room.allocations).isEmpty();
  }

  @Test
  void nothingIsLentInAnUnknownSession() {
    assertThat(refusal(asking(BLOCK).setAuth(UNKNOWN)))
        .isEqualTo(FallbackReason.SESSION_UNKNOWN.name());
    assertThat(plane.room.allocations).isEmpty();
    assertThat(plane.room.counters().refusals(FallbackReason.SESSION_UNKNOWN)).isEqualTo(1);
  }

  @Test
  void whatTheRoomRefusesIsRefused() {
    plane.room.tokensOn = true;
    assertThat(refusal(asking(BLOCK))).isEqualTo(FallbackReason.TOKEN_REFUSED.name());
    plane.room.tokensOn = false;
    plane.room.allocating = refused(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(refusal(asking(BLOCK))).isEqualTo(FallbackReason.SLOTS_EXHAUSTED.name());
    plane.room.allocating = refused(FallbackReason.DATANODE_BUSY);
    assertThat(status(() -> plane.lend(BLOCK)).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  private static CompletableFuture<AllocateResult> refused(FallbackReason reason) {
    return CompletableFuture.completedFuture(new AllocateResult.Refused(reason, "by the test"));
  }

  private ListenableFuture<AllocateReply> ask() {
    return WritePlaneGrpc.newFutureStub(plane.channel).allocate(asking(BLOCK).build());
  }

  @Test
  void leaseThatNobodyWaitsForIsTakenBack() {
    CompletableFuture<AllocateResult> slow = new CompletableFuture<>();
    plane.room.allocating = slow;
    ListenableFuture<AllocateReply> gone = ask();
    soon().until(() -> plane.room.allocations.size() == 1);

    gone.cancel(true);

    soon().until(() -> plane.cancelled.get() == 1);
    slow.complete(null);
    soon().until(() -> plane.room.aborts.equals(List.of("1 UNWRITTEN")));
  }

  @Test
  void soManyAllocationsAreUnderWayAtATime() {
    CompletableFuture<AllocateResult> slow = new CompletableFuture<>();
    plane.room.allocating = slow;
    List<ListenableFuture<AllocateReply>> waiting = new ArrayList<>();
    for (int i = 0; i < ALLOCATIONS_MAX; i++) {
      waiting.add(ask());
    }
    soon().until(() -> plane.room.allocations.size() == ALLOCATIONS_MAX);

    Status status = status(() -> plane.lend(BLOCK));

    assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(status.getDescription()).contains("2 allocations");
    slow.complete(null);
    soon().until(() -> waiting.stream().allMatch(ListenableFuture::isDone));
    assertThat(plane.lend(BLOCK)).isEqualTo(3);
  }

  private RenewRequest.Builder renewal(List<Long> ids) {
    return RenewRequest.newBuilder()
        .setClientId(CLIENT)
        .setIncarnation(plane.room.incarnation())
        .addAllLeaseIds(ids);
  }

  @Test
  void leaseIsRenewedForItsHolderInItsIncarnation() {
    long lease = plane.lend(BLOCK);

    RenewReply reply = plane.stub().renew(renewal(List.of(lease, 99L)).build());
    assertThat(reply.getLeaseMillisList()).containsExactly(FakeWriteRoom.LEASE_MILLIS, 0L);
    assertThat(reply.getIncarnation()).isEqualTo(plane.room.incarnation());

    List<RenewRequest.Builder> strangers =
        List.of(
            renewal(List.of(lease)).setClientId("other"),
            renewal(List.of(lease)).setIncarnation(4),
            renewal(List.of(lease)).setAuth(UNKNOWN));
    for (RenewRequest.Builder stranger : strangers) {
      assertThat(plane.stub().renew(stranger.build()).getLeaseMillisList()).containsExactly(0L);
    }
  }

  private AbortRequest.Builder abort(List<Long> ids, List<Integer> ends) {
    return AbortRequest.newBuilder()
        .setClientId(CLIENT)
        .setIncarnation(plane.room.incarnation())
        .addAllLeaseIds(ids)
        .addAllEnds(ends);
  }

  @Test
  void abortSaysOfEachLeaseWhatBecameOfItsWrites() {
    long first = plane.lend(BLOCK);
    long second = plane.lend(FakeHdfs.block(2));
    long third = plane.lend(FakeHdfs.block(3));
    long fourth = plane.lend(FakeHdfs.block(4));
    AbortRequest unheard = abort(List.of(first, second), List.of(1, 1)).setAuth(UNKNOWN).build();
    assertThat(plane.stub().abort(unheard).getLateList()).containsExactly(0, 1);
    assertThat(plane.room.aborts).isEmpty();

    AbortRequest all = abort(List.of(first, second, third), List.of(1, 0, 2)).build();
    assertThat(plane.stub().abort(all).getLateList()).isEmpty();

    assertThat(plane.room.aborts).containsExactly("1 QUIET", "2 UNDER_WAY", "3 UNWRITTEN");
    AbortRequest some = abort(List.of(first, fourth, third), List.of(1, 1, 2)).build();
    assertThat(plane.stub().abort(some).getLateList()).containsExactly(0, 2);
  }

  @Test
  void requestIsAboutSoManyLeases() {
    List<Long> many = Collections.nCopies(1_001, 1L);
    List<Integer> ends = Collections.nCopies(1_001, 1);
    isInvalid(() -> plane.stub().renew(renewal(many).build()), "1001 lease_ids");
    isInvalid(() -> plane.stub().abort(abort(many, ends).build()), "1001 lease_ids");
    isInvalid(
        () -> plane.stub().abort(abort(List.of(1L, 2L), List.of(1)).build()),
        "number of words on 2 leases is 1");
    isInvalid(() -> plane.stub().abort(abort(List.of(1L), List.of(3)).build()), "the number 3");
    isInvalid(() -> plane.stub().renew(renewal(many).setClientId("").build()), "client_id");
    assertThat(plane.stub().renew(renewal(many.subList(1, 1_001)).build()).getLeaseMillisList())
        .hasSize(1_000);
  }

  @Test
  void requestOfOneMessageIsNotAsLargeAsAPartOfACommit() {
    byte[] large = new byte[MetadataServerLimits.MESSAGE_BYTES_MAX];
    isInvalid(
        () ->
            plane
                .stub()
                .renew(renewal(List.of()).setClientIdBytes(ByteString.copyFrom(large)).build()),
        "more than 524288 bytes");
  }

  @Test
  void errorInAnyCallIsAnswered() {
    plane.room.before =
        () -> {
          throw new OutOfMemoryError("thrown by the test");
        };
    List<Runnable> calls =
        List.of(
            () -> plane.lend(BLOCK),
            () -> plane.stub().renew(renewal(List.of()).build()),
            () -> plane.stub().abort(abort(List.of(1L), List.of(1)).build()));
    for (int i = 0; i < calls.size(); i++) {
      assertThat(status(calls.get(i)).getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(plane.room.counters().failures()).isEqualTo(i + 1);
    }

    plane.room.before = () -> {};
    for (int i = 0; i < ALLOCATIONS_MAX; i++) {
      plane.lend(BLOCK);
    }
  }
}
