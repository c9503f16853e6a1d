// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.AllocateReply;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.Proven;
import io.rdio.core.wire.proto.WriteGrant;
import io.rdio.core.write.UnregisteredHostException;
import org.jspecify.annotations.Nullable;

/** A client's request for a slot, and what it takes to believe an answer to it. Immutable. */
final class AllocateExchange {
  private final String endpoint;
  private final SlotAsk ask;
  private final AllocateRequest request;
  private final @Nullable SessionProof session;
  private final @Nullable GrantProof token;

  private AllocateExchange(
      String endpoint,
      SlotAsk ask,
      AllocateRequest request,
      @Nullable SessionProof session,
      @Nullable GrantProof token) {
    this.endpoint = endpoint;
    this.ask = ask;
    this.request = request;
    this.session = session;
    this.token = token;
  }

  private static AllocateRequest.Builder unproved(String clientId, int version, SlotAsk ask) {
    return WriteCodec.encode(ask).setProtocolVersion(version).setClientId(clientId);
  }

  /** A request that proves nothing and believes any answer. */
  static AllocateExchange plain(String endpoint, String clientId, int version, SlotAsk ask) {
    AllocateRequest request = unproved(clientId, version, ask).build();
    return new AllocateExchange(endpoint, ask, request, null, null);
  }

  /** A request that proves the block's token, which is not in it. */
  static AllocateExchange proven(
      String endpoint,
      String clientId,
      int version,
      SlotAsk ask,
      SessionProof session,
      TokenParts parts) {
    ByteString nonce = GrantProof.newNonce();
    GrantProof token = GrantProof.ofPassword(parts.password());
    AllocateRequest.Builder request = unproved(clientId, version, ask);
    BlockRequest.Builder block = request.getBlockBuilder().setTokenIdentifier(parts.identifier());
    block.setProof(WriteProof.ofAsk(token, session, nonce, block.build()));
    request.setAuth(WriteProof.authAllocate(session, nonce, request.build()));
    return new AllocateExchange(endpoint, ask, request.build(), session, token);
  }

  AllocateRequest request() {
    return request;
  }

  @Nullable SessionProof session() {
    return session;
  }

  /**
   * The slot in an answer.
   *
   * @throws FallbackException what the DataNode refused with, which may be an {@link
   *     UnregisteredHostException}, METADATA_PLANE_UNAUTHENTIC or METADATA_PLANE_ERROR
   */
  SlotGrant answer(AllocateReply reply) throws FallbackException {
    if (reply.hasRefusal()) {
      throw refusal(reply);
    }
    try {
      SlotGrant grant = WriteCodec.decode(message(reply));
      if (!grant.block().equals(ask.block())) {
        throw new IllegalArgumentException("a slot for " + grant.block());
      }
      return grant;
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw PlaneErrors.garbage(endpoint, e.getMessage() + " for " + ask.block());
    }
  }

  private FallbackException refusal(AllocateReply reply) {
    FallbackReason reason = FallbackReason.ofWire(reply.getRefusal().getReason());
    String detail =
        "a slot for " + ask.block() + " on " + endpoint + ": " + reply.getRefusal().getDetail();
    if (reason != FallbackReason.WRITE_UNFENCED || !reply.hasUnregistered()) {
      return new FallbackException(reason, detail);
    }
    try {
      return WriteCodec.decode(reply.getUnregistered(), detail);
    } catch (IllegalArgumentException e) {
      return PlaneErrors.garbage(endpoint, e.getMessage() + " for " + ask.block());
    }
  }

  private WriteGrant message(AllocateReply reply)
      throws FallbackException, InvalidProtocolBufferException {
    if (session == null || token == null) {
      return reply.getGrant();
    }
    Proven proven = reply.getProven();
    ByteString statement = proven.getStatement();
    ByteString right = WriteProof.ofGrant(token, session, request, statement);
    if (!Transcript.matches(proven.getProof(), right)) {
      throw PlaneErrors.unauthentic(endpoint, "a slot for " + ask.block());
    }
    return WriteGrant.parseFrom(statement);
  }
}
