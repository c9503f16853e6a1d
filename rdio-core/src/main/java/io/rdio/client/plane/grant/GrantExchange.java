// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.GrantStatement;
import io.rdio.core.wire.proto.Proven;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client's grant request, and what it takes to believe an answer to it. Immutable. */
final class GrantExchange {
  private final String endpoint;
  private final GrantRequest request;
  private final @Nullable SessionProof session;

  /** Of each block; null for one whose token is none. Empty without a session. */
  private final List<@Nullable GrantProof> tokens;

  /**
   * A map that was granted, not looked at yet.
   *
   * @param authentic whether the DataNode proved that it is from it
   */
  record Answer(FileMap map, long incarnation, long leaseMillis, boolean authentic) {}

  private GrantExchange(
      String endpoint,
      GrantRequest request,
      @Nullable SessionProof session,
      List<@Nullable GrantProof> tokens) {
    this.endpoint = endpoint;
    this.request = request;
    this.session = session;
    this.tokens = tokens;
  }

  /** A request of a client that proves nothing and can believe anything. */
  static GrantExchange plain(
      String endpoint, String clientId, int version, List<BlockAsk> targets) {
    GrantRequest.Builder request =
        GrantRequest.newBuilder().setProtocolVersion(version).setClientId(clientId);
    for (BlockAsk target : targets) {
      request.addBlocks(
          BlockRequest.newBuilder()
              .setBlock(BlockIds.encode(target.block()))
              .setToken(ByteString.copyFrom(target.token()))
              .setSpeculative(target.speculative()));
    }
    return new GrantExchange(endpoint, request.build(), null, List.of());
  }

  /** A request that proves the tokens of its blocks. Those are not in it. */
  static GrantExchange proven(
      String endpoint, String clientId, int version, SessionProof session, List<BlockAsk> targets) {
    ByteString nonce = GrantProof.newNonce();
    List<@Nullable GrantProof> tokens = new ArrayList<>(targets.size());
    List<BlockRequest> blocks = new ArrayList<>(targets.size());
    for (BlockAsk target : targets) {
      BlockRequest.Builder block =
          BlockRequest.newBuilder()
              .setBlock(BlockIds.encode(target.block()))
              .setSpeculative(target.speculative());
      GrantProof token = null;
      try {
        TokenParts parts = TokenParts.of(target.token());
        token = GrantProof.ofPassword(parts.password());
        block.setTokenIdentifier(parts.identifier());
        block.setProof(token.ofAsk(session, nonce, block.build()));
      } catch (FallbackException e) {
        // Sent without a proof, it is refused by the DataNode as any other without one.
      }
      tokens.add(token);
      blocks.add(block.build());
    }
    GrantRequest request =
        GrantRequest.newBuilder()
            .setProtocolVersion(version)
            .setClientId(clientId)
            .addAllBlocks(blocks)
            .setAuth(session.authGrant(nonce, version, blocks))
            .build();
    return new GrantExchange(endpoint, request, session, tokens);
  }

  GrantRequest request() {
    return request;
  }

  @Nullable SessionProof session() {
    return session;
  }

  /**
   * The answer about one block of the request.
   *
   * @throws FallbackException what the DataNode refused with, METADATA_PLANE_UNAUTHENTIC or
   *     METADATA_PLANE_ERROR
   */
  Answer answer(int i, GrantReply reply) throws FallbackException {
    BlockGrant grant = reply.getBlocks(i);
    String block = BlockIds.decode(request.getBlocks(i).getBlock()) + " on " + endpoint;
    if (grant.hasRefusal()) {
      throw new FallbackException(
          FallbackReason.ofWire(grant.getRefusal().getReason()),
          block + ": " + grant.getRefusal().getDetail());
    }
    if (session != null) {
      return proven(i, grant.getProven(), session);
    }
    if (!grant.hasFileMap()) {
      throw PlaneErrors.garbage(endpoint, "neither a map nor a refusal for " + block);
    }
    return new Answer(grant.getFileMap(), reply.getIncarnation(), reply.getLeaseMillis(), false);
  }

  private Answer proven(int i, Proven proven, SessionProof session) throws FallbackException {
    BlockRequest asked = request.getBlocks(i);
    GrantProof token = tokens.get(i);
    ByteString nonce = request.getAuth().getNonce();
    ByteString bytes = proven.getStatement();
    if (token == null
        || !Transcript.matches(proven.getProof(), token.ofGrant(session, nonce, asked, bytes))) {
      throw PlaneErrors.unauthentic(endpoint, "a map of " + BlockIds.decode(asked.getBlock()));
    }
    try {
      GrantStatement statement = GrantStatement.parseFrom(bytes);
      if (statement.hasFileMap() && statement.getIncarnation() == session.incarnation()) {
        return new Answer(
            statement.getFileMap(), statement.getIncarnation(), statement.getLeaseMillis(), true);
      }
    } catch (InvalidProtocolBufferException e) {
      // Said below.
    }
    throw PlaneErrors.garbage(
        endpoint, "no map of " + BlockIds.decode(asked.getBlock()) + ", but proved");
  }
}
