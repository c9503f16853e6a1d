// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.StatusRuntimeException;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.GrantStatement;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Proven;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.ServerDoor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterProperty;

/** One bit flipped anywhere in a message that carries a proof, and it is refused. */
final class ProofTamperingTest {
  private static final String CLIENT = "client";
  private static final ByteString NONCE = ByteString.copyFrom(new byte[16]);

  private final GrantFixture dataNode;
  private final ServerDoor sessions;
  private final GrantProof token = GrantProof.ofPassword("secret".getBytes(US_ASCII));
  private final OpenSessionRequest opening;
  private final SessionProof session;

  ProofTamperingTest() throws Exception {
    dataNode = new GrantFixture(Files.createTempDirectory("proofs"));
    sessions = new ServerDoor(dataNode.service);
    OpenSessionRequest unproved =
        OpenSessionRequest.newBuilder()
            .setClientId(CLIENT)
            .setNonce(NONCE)
            .setBlock(BlockIds.encode(FakeHdfs.block(1)))
            .setTokenIdentifier(ByteString.copyFrom("token", US_ASCII))
            .build();
    opening = unproved.toBuilder().setProof(token.ofOpening(unproved)).build();
    OpenSessionReply reply = sessions.open(opening);
    var statement =
        io.rdio.core.wire.proto.SessionStatement.parseFrom(reply.getSession().getStatement());
    session =
        SessionProof.ofKey(
            token.seal(opening, statement.getSessionId(), statement.getSealedKey().toByteArray()),
            CLIENT,
            statement.getIncarnation(),
            statement.getSessionId());
  }

  @AfterProperty
  void deleteFiles() throws IOException {
    try (Stream<Path> all = Files.walk(dataNode.root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static byte[] flip(ByteString message, int place) {
    byte[] bytes = message.toByteArray();
    int bit = place % (bytes.length * Byte.SIZE);
    bytes[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
    return bytes;
  }

  /** What a server makes of bytes; none of it may be a session. */
  private interface Reading {
    Object read(byte[] bytes) throws InvalidProtocolBufferException;
  }

  private static void assertRefused(byte[] bytes, Reading reading) {
    try {
      assertThat(reading.read(bytes)).as("a session").isNull();
    } catch (InvalidProtocolBufferException | StatusRuntimeException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }

  @Property
  void openingOfASession(@ForAll @IntRange(max = 100_000) int place) throws Exception {
    assertThat(sessions.open(opening).hasSession()).isTrue();
    assertRefused(
        flip(opening.toByteString(), place),
        bytes -> {
          OpenSessionReply reply = sessions.open(OpenSessionRequest.parseFrom(bytes));
          return reply.hasSession() ? reply : null;
        });
  }

  private GrantRequest grantRequest() {
    BlockRequest ask =
        BlockRequest.newBuilder()
            .setBlock(opening.getBlock())
            .setTokenIdentifier(opening.getTokenIdentifier())
            .build();
    BlockRequest proven = ask.toBuilder().setProof(token.ofAsk(session, NONCE, ask)).build();
    return GrantRequest.newBuilder()
        .setProtocolVersion(2)
        .setClientId(CLIENT)
        .addBlocks(proven)
        .setAuth(session.authGrant(NONCE, 2, List.of(proven)))
        .build();
  }

  @Property
  void grantRequest(@ForAll @IntRange(max = 100_000) int place) throws Exception {
    assertThat(sessions.of(grantRequest())).isNotNull();
    assertRefused(
        flip(grantRequest().toByteString(), place),
        bytes -> sessions.of(GrantRequest.parseFrom(bytes)));
  }

  @Property
  void renewRequest(@ForAll @IntRange(max = 100_000) int place) throws Exception {
    List<Long> ids = List.of(5L, 6L);
    RenewRequest request =
        RenewRequest.newBuilder()
            .setClientId(CLIENT)
            .addAllLeaseIds(ids)
            .setAuth(session.auth(SessionProof.Call.RENEW, NONCE, ids))
            .build();
    assertThat(sessions.of(request)).isNotNull();
    assertRefused(
        flip(request.toByteString(), place), bytes -> sessions.of(RenewRequest.parseFrom(bytes)));
  }

  @Property
  void renewReply(@ForAll @IntRange(max = 100_000) int place) {
    List<Long> terms = List.of(60_000L, 0L);
    RenewReply reply =
        RenewReply.newBuilder()
            .addAllLeaseMillis(terms)
            .setProof(session.ofRenewals(NONCE, terms))
            .build();
    assertRefused(
        flip(reply.toByteString(), place),
        bytes -> {
          RenewReply read = RenewReply.parseFrom(bytes);
          ByteString right = session.ofRenewals(NONCE, read.getLeaseMillisList());
          return Transcript.matches(read.getProof(), right) ? read : null;
        });
  }

  @Property
  void grantReply(@ForAll @IntRange(max = 100_000) int place) throws Exception {
    GrantExchange exchange =
        GrantExchange.proven(
            "datanode",
            CLIENT,
            2,
            session,
            List.of(new BlockAsk(new TokenedBlock(FakeHdfs.block(1), FakeHdfs.TOKEN))));
    GrantRequest request = exchange.request();
    ByteString statement =
        GrantStatement.newBuilder()
            .setIncarnation(session.incarnation())
            .setLeaseMillis(60_000)
            .setFileMap(FileMap.newBuilder().setLeaseId(7).setBlockLength(5000))
            .build()
            .toByteString();
    Proven proven =
        Proven.newBuilder()
            .setStatement(statement)
            .setProof(
                token.ofGrant(
                    session, request.getAuth().getNonce(), request.getBlocks(0), statement))
            .build();
    assertThat(exchange.answer(0, reply(proven)).map().getLeaseId()).isEqualTo(7);

    byte[] bytes = flip(proven.toByteString(), place);

    try {
      GrantReply changed = reply(Proven.parseFrom(bytes));
      FallbackException refused =
          catchThrowableOfType(FallbackException.class, () -> exchange.answer(0, changed));
      assertThat(refused).isNotNull();
      assertThat(refused.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
    } catch (InvalidProtocolBufferException refused) {
      assertThat(refused.getMessage()).isNotBlank();
    }
  }

  private static GrantReply reply(Proven proven) {
    return GrantReply.newBuilder().addBlocks(BlockGrant.newBuilder().setProven(proven)).build();
  }
}
