// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.GrantStatement;
import io.rdio.core.wire.proto.Proven;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.GrantService;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A grant request of a session: only blocks whose token is proved are asked for, and each map goes
 * out with a proof. Confined to one thread.
 */
final class ServerProvenGrants implements ServerGrants {
  private final GrantRequest request;
  private final SessionProof session;
  private final GrantService grants;
  private final List<Block> blocks = new ArrayList<>();
  private final List<BlockAsk> asks = new ArrayList<>();

  /** One block of the request: proved, or refused. */
  private record Block(@Nullable GrantProof token, @Nullable FallbackException refusal) {}

  ServerProvenGrants(GrantRequest request, SessionProof session, GrantService grants) {
    this.request = request;
    this.session = session;
    this.grants = grants;
    for (BlockRequest ask : request.getBlocksList()) {
      blocks.add(prove(ask));
    }
  }

  private Block prove(BlockRequest ask) {
    BlockKey key = BlockIds.decode(ask.getBlock());
    try {
      ByteString identifier = ask.getTokenIdentifier();
      byte[] password = grants.tokenPassword(key, identifier.toByteArray());
      GrantProof token = GrantProof.ofPassword(password);
      ByteString right = token.ofAsk(session, request.getAuth().getNonce(), ask);
      if (!Transcript.matches(ask.getProof(), right)) {
        throw new FallbackException(
            FallbackReason.TOKEN_REFUSED, "the proof of the token for " + key + " is wrong");
      }
      // What the token allows, and until when, is looked at where tokens always are.
      asks.add(
          new BlockAsk(
              new TokenedBlock(key, new TokenParts(identifier, password).toToken()),
              "",
              ask.getSpeculative()));
      return new Block(token, null);
    } catch (FallbackException e) {
      grants.counters().refused(e.reason());
      return new Block(null, e);
    }
  }

  @Override
  public List<BlockAsk> asks() {
    return asks;
  }

  @Override
  public List<BlockGrant> answers(List<GrantResult> results) {
    List<BlockGrant> answers = new ArrayList<>(blocks.size());
    Iterator<GrantResult> next = results.iterator();
    for (int i = 0; i < blocks.size(); i++) {
      GrantProof token = blocks.get(i).token();
      FallbackException refusal = blocks.get(i).refusal();
      if (token != null) {
        answers.add(answer(token, request.getBlocks(i), next.next()));
      } else if (refusal != null) {
        answers.add(ServerMessages.refusal(refusal.reason(), refusal.detail()));
      }
    }
    return answers;
  }

  private BlockGrant answer(GrantProof token, BlockRequest ask, GrantResult result) {
    BlockGrant plain = ServerMessages.blockGrant(result);
    if (!plain.hasFileMap()) {
      return plain;
    }
    ByteString statement =
        GrantStatement.newBuilder()
            .setIncarnation(grants.incarnation())
            .setLeaseMillis(grants.config().leaseMillis())
            .setFileMap(plain.getFileMap())
            .build()
            .toByteString();
    ByteString proof = token.ofGrant(session, request.getAuth().getNonce(), ask, statement);
    return BlockGrant.newBuilder()
        .setProven(Proven.newBuilder().setStatement(statement).setProof(proof))
        .build();
  }
}
