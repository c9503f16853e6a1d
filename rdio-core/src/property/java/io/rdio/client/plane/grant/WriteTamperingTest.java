// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.CommitSum;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateReply;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.Proven;
import io.rdio.core.write.UnregisteredHostException;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Writes: one bit flipped, another key, or an answer to another request, and it is refused. */
final class WriteTamperingTest {
  private static final String CLIENT = "client";
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);
  private static final ByteString NONCE = ByteString.copyFrom(new byte[16]);
  private static final SlotAsk ASK =
      new SlotAsk(BLOCK, "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 5);
  private static final TokenParts TOKEN =
      new TokenParts(ByteString.copyFrom("token", US_ASCII), "secret".getBytes(US_ASCII));

  private final GrantProof token = GrantProof.ofPassword(TOKEN.password());
  private final SessionProof session = session(1, 7);

  private static SessionProof session(int key, long incarnation) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) key;
    return SessionProof.ofKey(bytes, CLIENT, incarnation, NONCE);
  }

  private AllocateExchange exchange(SessionProof by) {
    return AllocateExchange.proven("datanode", CLIENT, 3, ASK, by, TOKEN);
  }

  private static ByteString statement() {
    SlotGrant grant =
        new SlotGrant(
            7,
            2,
            30_000,
            60_000,
            BLOCK,
            new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "", 0, "/dev/test"),
            "DS-1",
            ExtentList.of(new long[] {4096}, new long[] {1 << 20}),
            3,
            4,
            4096,
            false);
    return WriteCodec.encode(grant).toByteString();
  }

  private static AllocateReply reply(GrantProof key, SessionProof by, AllocateRequest request) {
    ByteString proof = WriteProof.ofGrant(key, by, request, statement());
    return AllocateReply.newBuilder()
        .setProven(Proven.newBuilder().setStatement(statement()).setProof(proof))
        .build();
  }

  private static byte[] flip(ByteString message, int place) {
    byte[] bytes = message.toByteArray();
    int bit = place % (bytes.length * Byte.SIZE);
    bytes[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
    return bytes;
  }

  private static void isUnauthentic(AllocateExchange exchange, AllocateReply reply) {
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> exchange.answer(reply));
    assertThat(refused).isNotNull();
    assertThat(refused.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
  }

  @Property
  void slotWithOneBitFlipped(@ForAll @IntRange(max = 100_000) int place) throws Exception {
    AllocateExchange exchange = exchange(session);
    Proven proven = reply(token, session, exchange.request()).getProven();
    assertThat(exchange.answer(AllocateReply.newBuilder().setProven(proven).build()).leaseId())
        .isEqualTo(2);

    byte[] bytes = flip(proven.toByteString(), place);

    try {
      isUnauthentic(
          exchange, AllocateReply.newBuilder().setProven(Proven.parseFrom(bytes)).build());
    } catch (InvalidProtocolBufferException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }

  @Example
  void slotOfSomebodyElse() {
    AllocateExchange exchange = exchange(session);
    AllocateRequest request = exchange.request();
    GrantProof guessed = GrantProof.ofPassword("secreT".getBytes(US_ASCII));

    isUnauthentic(exchange, reply(guessed, session, request));
    isUnauthentic(exchange, reply(token, session(1, 8), request));
    isUnauthentic(exchange, reply(token, session, exchange(session).request()));
    AllocateRequest altered = request.toBuilder().setStorageId("DS-2").build();
    AllocateRequest resigned =
        altered.toBuilder()
            .setAuth(WriteProof.authAllocate(session, request.getAuth().getNonce(), altered))
            .build();
    isUnauthentic(exchange, reply(token, session, resigned));
    ByteString read =
        token.ofGrant(session, request.getAuth().getNonce(), request.getBlock(), statement());
    isUnauthentic(
        exchange,
        AllocateReply.newBuilder()
            .setProven(Proven.newBuilder().setStatement(statement()).setProof(read))
            .build());
    isUnauthentic(
        exchange, AllocateReply.newBuilder().setGrant(WriteCodec.encode(grant())).build());
    isUnauthentic(exchange, AllocateReply.getDefaultInstance());
  }

  /** No proof makes it the DataNode's: what it says must make sense all the same. */
  @Example
  void deviceToRegisterWithThatMakesNoSense() throws Exception {
    AllocateReply.Builder reply = AllocateReply.newBuilder();
    reply.getRefusalBuilder().setReason(FallbackReason.WRITE_UNFENCED.name());
    reply.setUnregistered(WriteCodec.encode(grant().device(), 60_000, 0));
    assertThat(refusal(reply)).isInstanceOf(UnregisteredHostException.class);

    for (long millis : new long[] {0, -1, WriteCodec.LEASE_MILLIS_MAX + 1}) {
      reply.getUnregisteredBuilder().setIoMillis(millis);
      assertThat(refusal(reply).reason()).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    }
    reply.getUnregisteredBuilder().setIoMillis(1).getDeviceBuilder().clearFsUuid();
    assertThat(refusal(reply).reason()).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    reply.getRefusalBuilder().setReason(FallbackReason.SLOTS_EXHAUSTED.name());
    assertThat(refusal(reply).reason()).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
  }

  private FallbackException refusal(AllocateReply.Builder reply) {
    return catchThrowableOfType(
        FallbackException.class, () -> exchange(session).answer(reply.build()));
  }

  private static SlotGrant grant() {
    try {
      return WriteCodec.decode(io.rdio.core.wire.proto.WriteGrant.parseFrom(statement()));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether a request would be taken for the session's by who makes its proof anew. */
  private boolean isProved(AllocateRequest request) {
    ByteString nonce = request.getAuth().getNonce();
    BlockRequest block = request.getBlock();
    return request.getClientId().equals(CLIENT)
        && request.getAuth().getSessionId().equals(NONCE)
        && block.getToken().isEmpty()
        && !block.getSpeculative()
        && Transcript.matches(block.getProof(), WriteProof.ofAsk(token, session, nonce, block))
        && Transcript.matches(
            request.getAuth().getProof(),
            WriteProof.authAllocate(session, nonce, request).getProof());
  }

  @Property
  void requestForASlotWithOneBitFlipped(@ForAll @IntRange(max = 100_000) int place) {
    AllocateRequest request = exchange(session).request();
    assertThat(isProved(request)).isTrue();
    try {
      AllocateRequest altered = AllocateRequest.parseFrom(flip(request.toByteString(), place));
      assertThat(isProved(altered)).isFalse();
    } catch (InvalidProtocolBufferException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }

  @Property
  void abortWithOneBitFlipped(@ForAll @IntRange(max = 100_000) int place) {
    AbortRequest.Builder abort =
        AbortRequest.newBuilder().setIncarnation(9).addLeaseIds(5).addLeaseIds(6);
    abort.addEnds(1).addEnds(0);
    AbortRequest right = abort.build();
    try {
      AbortRequest altered = AbortRequest.parseFrom(flip(right.toByteString(), place));
      boolean same =
          altered.getIncarnation() == 9
              && altered.getLeaseIdsList().equals(right.getLeaseIdsList())
              && altered.getEndsList().equals(right.getEndsList());
      assertThat(proof(altered).equals(proof(right))).as("%s", altered).isEqualTo(same);
    } catch (InvalidProtocolBufferException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }

  private ByteString proof(AbortRequest abort) {
    return WriteProof.authAbort(
            session, NONCE, abort.getIncarnation(), abort.getLeaseIdsList(), abort.getEndsList())
        .getProof();
  }

  private CommitHead head(ByteString nonce) {
    CommitHead head = WriteCodec.encode(new CommitAsk(9, 4, BLOCK, 1000)).build();
    return head.toBuilder().setAuth(WriteProof.authCommit(session, nonce, head)).build();
  }

  private static ByteString sum(SessionProof by, CommitHead head, byte[]... parts) {
    CommitSum sum = WriteProof.sum(by, head);
    for (byte[] part : parts) {
      sum.add(ByteString.copyFrom(part));
    }
    return sum.proof();
  }

  @Property
  void crcsWithOneBitFlipped(@ForAll @IntRange(max = 2 * 4096 * 8 - 1) int bit) {
    byte[] first = new byte[4096];
    byte[] second = new byte[4096];
    ByteString right = sum(session, head(NONCE), first, second);
    assertThat(sum(session, head(NONCE), first, second)).isEqualTo(right);

    byte[] hit = bit / 8 < 4096 ? first : second;
    hit[bit / 8 % 4096] ^= (byte) (1 << (bit % 8));

    assertThat(sum(session, head(NONCE), first, second)).isNotEqualTo(right);
  }

  @Example
  void commitOfSomebodyElse() {
    CommitHead head = head(NONCE);
    byte[] crcs = new byte[8];
    ByteString requested = sum(session, head, crcs);
    assertThat(sum(session, head, new byte[4], new byte[4])).isNotEqualTo(requested);
    assertThat(sum(session, head)).isNotEqualTo(requested);
    assertThat(sum(session(2, 7), head, crcs)).isNotEqualTo(requested);
    assertThat(sum(session, head(GrantProof.newNonce()), crcs)).isNotEqualTo(requested);

    ByteString right = WriteProof.ofCommit(session, head, requested, 9);
    assertThat(right).isNotEqualTo(requested);
    assertThat(WriteProof.ofCommit(session, head, requested, 10)).isNotEqualTo(right);
    assertThat(WriteProof.ofCommit(session(2, 7), head, requested, 9)).isNotEqualTo(right);
    assertThat(WriteProof.ofCommit(session, head, sum(session, head), 9)).isNotEqualTo(right);
    CommitHead other = head.toBuilder().setLength(1001).build();
    assertThat(WriteProof.ofCommit(session, other, requested, 9)).isNotEqualTo(right);
  }

  @Example
  void renewalOfReadsIsNoneOfWrites() {
    List<Long> ids = List.of(5L, 6L);
    assertThat(WriteProof.authRenew(session, NONCE, 7, ids).getProof())
        .isNotEqualTo(session.auth(SessionProof.Call.RENEW, NONCE, ids).getProof());
    assertThat(WriteProof.ofRenewals(session, NONCE, ids))
        .isNotEqualTo(session.ofRenewals(NONCE, ids));
    assertThat(WriteProof.authRenew(session, NONCE, 8, ids).getProof())
        .isNotEqualTo(WriteProof.authRenew(session, NONCE, 7, ids).getProof());
  }
}
