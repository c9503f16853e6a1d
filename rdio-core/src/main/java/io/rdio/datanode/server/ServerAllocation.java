// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
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
import io.rdio.core.wire.proto.Refusal;
import io.rdio.core.wire.proto.WriteGrant;
import io.rdio.datanode.allocate.AllocateCommand;
import io.rdio.datanode.allocate.AllocateResult;
import io.rdio.datanode.allocate.WriteGrantData;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.Holder;
import org.jspecify.annotations.Nullable;

/**
 * One request for a slot: by whom, with what right, and how its answer is proved. What a block's
 * token allows is looked at by whoever gets the command. Immutable.
 */
final class ServerAllocation {
  private final AllocateRequest request;
  private final AllocateCommand command;
  private final @Nullable SessionProof session;
  private final @Nullable GrantProof token;

  private ServerAllocation(
      AllocateRequest request,
      AllocateCommand command,
      @Nullable SessionProof session,
      @Nullable GrantProof token) {
    this.request = request;
    this.command = command;
    this.session = session;
    this.token = token;
  }

  /** Of a client that proves nothing: it has no token. */
  static ServerAllocation plain(AllocateRequest request, SlotAsk ask, Holder holder) {
    AllocateCommand command = command(holder, new TokenedBlock(ask.block()), ask);
    return new ServerAllocation(request, command, null, null);
  }

  /**
   * Of a session.
   *
   * @throws FallbackException TOKEN_REFUSED if the block's token is not proved, or
   *     DATANODE_NOT_READY
   */
  static ServerAllocation proven(
      AllocateRequest request,
      SlotAsk ask,
      Holder holder,
      SessionProof session,
      GrantService grants)
      throws FallbackException {
    BlockRequest block = request.getBlock();
    ByteString identifier = block.getTokenIdentifier();
    byte[] password = grants.tokenPassword(ask.block(), identifier.toByteArray());
    GrantProof token = GrantProof.ofPassword(password);
    ByteString right = WriteProof.ofAsk(token, session, request.getAuth().getNonce(), block);
    if (!Transcript.matches(block.getProof(), right)) {
      throw new FallbackException(
          FallbackReason.TOKEN_REFUSED, "the proof of the token for " + ask.block() + " is wrong");
    }
    byte[] whole = new TokenParts(identifier, password).toToken();
    AllocateCommand command = command(holder, new TokenedBlock(ask.block(), whole), ask);
    return new ServerAllocation(request, command, session, token);
  }

  private static AllocateCommand command(Holder holder, TokenedBlock tokened, SlotAsk ask) {
    return new AllocateCommand(
        holder,
        tokened,
        ask.storageId(),
        ask.bytes(),
        ask.checksum(),
        ask.bytesPerChecksum(),
        ask.hostKey());
  }

  AllocateCommand command() {
    return command;
  }

  /**
   * The answer that lends a slot, proved where there is a token.
   *
   * @throws IllegalArgumentException if there can be no such slot
   */
  AllocateReply granted(WriteGrantData data) {
    WriteGrant grant = WriteCodec.encode(checked(data));
    if (session == null || token == null) {
      return AllocateReply.newBuilder().setGrant(grant).build();
    }
    ByteString statement = grant.toByteString();
    ByteString proof = WriteProof.ofGrant(token, session, request, statement);
    return AllocateReply.newBuilder()
        .setProven(Proven.newBuilder().setStatement(statement).setProof(proof))
        .build();
  }

  private static SlotGrant checked(WriteGrantData data) {
    return new SlotGrant(
        data.incarnation(),
        data.leaseId(),
        data.leaseMillis(),
        data.ioMillis(),
        data.block(),
        data.device(),
        data.storageId(),
        data.extents(),
        data.slot(),
        data.nonce(),
        data.unit(),
        data.fenced());
  }

  static AllocateReply refused(FallbackReason reason, String detail) {
    return AllocateReply.newBuilder().setRefusal(refusal(reason, detail)).build();
  }

  /**
   * The answer that lends none.
   *
   * @param ioMillis {@code I}, for a host that has to be registered first
   */
  static AllocateReply refused(AllocateResult.Refused refused, long ioMillis) {
    AllocateReply reply = refused(refused.reason(), refused.detail());
    DeviceIdentity device = refused.unregistered();
    return device == null
        ? reply
        : reply.toBuilder()
            .setUnregistered(WriteCodec.encode(device, ioMillis, refused.doomedKey()))
            .build();
  }

  static Refusal refusal(FallbackReason reason, String detail) {
    return Refusal.newBuilder().setReason(reason.name()).setDetail(detail).build();
  }
}
