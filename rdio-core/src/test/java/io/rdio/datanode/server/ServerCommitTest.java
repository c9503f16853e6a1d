// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static io.rdio.datanode.server.WritePlaneFixture.BLOCK;
import static io.rdio.datanode.server.WritePlaneFixture.part;
import static io.rdio.datanode.server.WritePlaneFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.proto.CommitPart;
import io.rdio.core.wire.proto.CommitReply;
import io.rdio.core.wire.proto.SessionAuth;
import io.rdio.datanode.allocate.CommitResult;
import io.rdio.datanode.server.WritePlaneFixture.Upload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits that come in parts, of well-made and of other clients, and what is left of each. */
final class ServerCommitTest {
  /** With CRCs of 4096 bytes. */
  private static final int LENGTH = 512 << 10;

  private static final int CRCS = 4096;

  @TempDir Path root;
  private WritePlaneFixture plane;
  private long lease;

  @BeforeEach
  void start() throws IOException {
    plane = new WritePlaneFixture(root);
    lease = plane.lend(BLOCK);
  }

  @AfterEach
  void stop() {
    plane.close();
  }

  private CommitPart head() {
    return part(plane.head(BLOCK, lease, LENGTH));
  }

  private static CommitReply answer(Upload upload) {
    return upload.reply.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static Status failure(Upload upload) {
    try {
      return Status.UNKNOWN.withDescription("answered with " + answer(upload));
    } catch (CompletionException e) {
      return Status.fromThrowable(e);
    }
  }

  private void nothingIsLeft() {
    soon().until(() -> plane.service.commitShares().commits() == 0);
    assertThat(plane.service.commitShares().bytes()).isZero();
    assertThat(plane.room.intakes.get()).isZero();
    assertThat(plane.timer.waiting()).isZero();
    assertThat(plane.room.counters().failures()).isZero();
  }

  private void isRefused(String words, CommitPart... parts) {
    Status status = failure(plane.commit(parts));
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).contains(words);
    nothingIsLeft();
    assertThat(plane.room.committed).isEmpty();
  }

  @Test
  void partsMakeAReplica() {
    CommitReply reply = answer(plane.commit(head(), part(CRCS / 4), part(3 * CRCS / 4)));

    assertThat(reply.hasRefusal()).isFalse();
    assertThat(reply.getIncarnation()).isEqualTo(plane.room.incarnation());
    assertThat(plane.room.committed.get(BLOCK)).hasSize(CRCS);
    nothingIsLeft();
  }

  @Test
  void sameCommitAgainIsAnsweredTheSame() {
    CommitReply first = answer(plane.commit(head(), part(CRCS)));

    assertThat(answer(plane.commit(head(), part(CRCS)))).isEqualTo(first);
    assertThat(plane.room.commits).hasSize(2);
    nothingIsLeft();
  }

  @Test
  void partsOutOfOrderAreRefused() {
    isRefused("no head");
    isRefused("CRCs out of their turn", part(CRCS), head());
    isRefused("two heads", head(), head());
    isRefused("without content", head(), CommitPart.getDefaultInstance());
    CommitPart proof = CommitPart.newBuilder().setProof(ByteString.EMPTY).build();
    isRefused("a proof out of its turn", head(), part(CRCS), proof);
    isRefused("a proof out of its turn", proof);
  }

  @Test
  void sizesAreKept() {
    isRefused("bytes of a part of CRCs is 0", head(), part(0));
    isRefused("bytes of a part of CRCs is 4095", head(), part(CRCS - 1));
    isRefused("1048580", head(), part(WriteCodec.PART_BYTES_MAX + 4));
    isRefused("more CRCs than 4096", head(), part(CRCS), part(4));
    isRefused("4092 of 4096", head(), part(CRCS - 4));
    isRefused("0 of 4096", head());
    isRefused("length to commit is 0", part(plane.head(BLOCK, lease, LENGTH).setLength(0)));
    isRefused(
        "length to commit is 1073741825",
        part(plane.head(BLOCK, lease, LENGTH).setLength(WriteCodec.BLOCK_BYTES_MAX + 1)));
    isRefused("line feed", part(plane.head(BLOCK, lease, LENGTH).setClientId("a\nb")));
    isRefused("pool_id", part(plane.head(BLOCK, lease, LENGTH).clearBlock()));
    isRefused(
        "a commit's head has",
        part(plane.head(BLOCK, lease, LENGTH).setClientId("c".repeat(5_000))));
  }

  @Test
  void largestPartIsTaken() {
    long length = 128L << 20;

    CommitReply reply =
        answer(
            plane.commit(part(plane.head(BLOCK, lease, length)), part(WriteCodec.PART_BYTES_MAX)));

    assertThat(reply.hasRefusal()).isFalse();
    nothingIsLeft();
  }

  @Test
  void bytesThatAreNoPartAreRefused() {
    CompletableFuture<Status> closed = new CompletableFuture<>();
    plane.garbage(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            closed.complete(status);
          }
        },
        new byte[] {-1, -1, -1});

    assertThat(closed.orTimeout(20, TimeUnit.SECONDS).join().getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    nothingIsLeft();
  }

  @Test
  void brokenOffCommitGivesItsSharesBack() {
    Upload upload = plane.upload(head(), part(CRCS));
    soon().until(() -> plane.room.intakes.get() == 1);
    assertThat(plane.service.commitShares().bytes()).isEqualTo(CRCS);

    upload.parts.cancel("by the test", null);

    nothingIsLeft();
    assertThat(plane.room.committed).isEmpty();
    assertThat(answer(plane.commit(head(), part(CRCS))).hasRefusal()).isFalse();
  }

  @Test
  void lateCommitIsEnded() {
    Upload silent = plane.upload();
    Upload slow = plane.upload(head(), part(CRCS / 2));
    soon().until(() -> plane.room.intakes.get() == 1 && plane.timer.waiting() == 2);

    plane.timer.pass();

    assertThat(failure(slow).getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(failure(silent).getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    nothingIsLeft();
  }

  @Test
  void commitUnderWayGoesOnWithoutItsClient() {
    plane.room.committing = new CompletableFuture<>();
    Upload upload = plane.commit(head(), part(CRCS));
    soon().until(() -> plane.timer.waiting() == 0 && plane.room.intakes.get() == 0);
    plane.timer.pass();

    upload.parts.cancel("by the test", null);
    failure(upload);

    assertThat(plane.service.commitShares().commits()).isEqualTo(1);
    plane.room.committing.complete(null);
    nothingIsLeft();
    assertThat(plane.room.committed).containsKey(BLOCK);
  }

  @Test
  void refusalIsToldWithItsReason() {
    plane.room.committing =
        CompletableFuture.completedFuture(
            new CommitResult.Refused(FallbackReason.CHECKSUM_MISMATCH, "a copy"));

    CommitReply reply = answer(plane.commit(head(), part(CRCS)));

    assertThat(reply.getRefusal().getReason()).isEqualTo("CHECKSUM_MISMATCH");
    assertThat(reply.getRefusal().getDetail()).isEqualTo("a copy");
    assertThat(plane.room.counters().refusals(FallbackReason.CHECKSUM_MISMATCH)).isEqualTo(1);
    nothingIsLeft();
  }

  @Test
  void unknownLeaseIsRefusedAtOnce() {
    Upload upload = plane.upload(part(plane.head(BLOCK, lease + 1, LENGTH)));

    assertThat(answer(upload).getRefusal().getReason()).isEqualTo("REPLICA_CHANGED");
    nothingIsLeft();
  }

  @Test
  void unknownSessionIsRefusedAtOnce() {
    SessionAuth auth =
        SessionAuth.newBuilder()
            .setSessionId(GrantProof.newNonce())
            .setNonce(GrantProof.newNonce())
            .setProof(ByteString.copyFrom(new byte[32]))
            .build();
    Upload upload = plane.upload(part(plane.head(BLOCK, lease, LENGTH).setAuth(auth)));

    assertThat(answer(upload).getRefusal().getReason()).isEqualTo("SESSION_UNKNOWN");
    nothingIsLeft();
  }

  @Test
  void busyRoomIsToldAsABusyDataNode() {
    plane.room.busy = new FallbackException(FallbackReason.DATANODE_BUSY, "8 commits");
    Upload atOnce = plane.upload(head());
    assertThat(failure(atOnce).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    nothingIsLeft();

    plane.room.busy = null;
    plane.room.committing =
        CompletableFuture.completedFuture(
            new CommitResult.Refused(FallbackReason.DATANODE_BUSY, "8 commits"));
    assertThat(failure(plane.commit(head(), part(CRCS))).getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    nothingIsLeft();
  }

  @Test
  void addressHasSoManyCommitsAtATime() {
    List<Upload> open = new ArrayList<>();
    for (int i = 0; i < ServerCommitShares.PER_ADDRESS; i++) {
      open.add(plane.upload(part(plane.head(BLOCK, lease, 1))));
    }
    soon().until(() -> plane.room.intakes.get() == ServerCommitShares.PER_ADDRESS);

    Status status = failure(plane.upload(head()));

    assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(status.getDescription()).contains("32 commits");
    open.forEach(upload -> upload.parts.cancel("by the test", null));
    nothingIsLeft();
    assertThat(answer(plane.commit(head(), part(CRCS))).hasRefusal()).isFalse();
  }

  @Test
  void crcsOfAllCommitsHaveABound() throws Exception {
    ServerCommitShares shares = new ServerCommitShares();
    long most = ServerCommitShares.crcBytes(WriteCodec.BLOCK_BYTES_MAX);
    assertThat(most).isEqualTo(8 << 20);
    for (int i = 0; i < 4; i++) {
      shares.take("a", most);
      shares.take("b", most);
    }
    assertThat(shares.bytes()).isEqualTo(ServerCommitShares.BYTES_MAX);

    for (String address : List.of("a", "c")) {
      try {
        shares.take(address, 4);
        throw new AssertionError(address + " got more");
      } catch (ServerRequestException e) {
        assertThat(e.status().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      }
    }
    shares.giveBack("a", most);
    shares.take("c", 4);
    assertThat(shares.commits()).isEqualTo(8);
  }

  @Test
  void errorInTheRoomIsAnswered() {
    plane.room.before =
        () -> {
          throw new OutOfMemoryError("thrown by the test");
        };

    assertThat(failure(plane.commit(head())).getCode()).isEqualTo(Status.Code.INTERNAL);

    plane.room.before = () -> {};
    assertThat(plane.room.counters().failures()).isEqualTo(1);
    soon().until(() -> plane.service.commitShares().commits() == 0);
    assertThat(answer(plane.commit(head(), part(CRCS))).hasRefusal()).isFalse();
  }
}
