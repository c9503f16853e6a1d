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
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Proven;
import io.rdio.core.wire.proto.SessionStatement;
import org.jspecify.annotations.Nullable;

/**
 * This client's session with one DataNode: one for each incarnation, for all users and all leases
 * of this JVM. It is opened by whoever comes first; the others wait for that as long as they have
 * patience. Thread-safe.
 */
final class ClientSessions {
  private final DataNodeChannel channel;
  private final String clientId;
  private final PatientLock opening;
  private volatile @Nullable SessionProof newest;
  private volatile boolean wanted = true;

  ClientSessions(DataNodeChannel channel, String clientId) {
    this.channel = channel;
    this.clientId = clientId;
    this.opening = new PatientLock(channel.endpoint());
  }

  /** The session that leases of this incarnation are bound to; null if they are to none. */
  @Nullable SessionProof of(long incarnation) {
    SessionProof session = newest;
    return session != null && session.incarnation() == incarnation ? session : null;
  }

  /**
   * Whether what the DataNode says of leases of this incarnation can be proved, or never needs to
   * be, where there is no session at all. Leases of a session that was replaced are nobody's to
   * renew: who holds the port could say what he likes of them.
   */
  boolean vouchesFor(long incarnation) {
    SessionProof session = newest;
    return session == null || session.incarnation() == incarnation;
  }

  /**
   * The session for the next grant.
   *
   * @param block that the token is for
   * @throws FallbackException what the DataNode refused with, METADATA_PLANE_UNAUTHENTIC, or why
   *     there is no answer
   */
  SessionProof forGrant(BlockAsk block, TokenParts token, Patience patience)
      throws FallbackException {
    SessionProof session = newest;
    if (session != null && !wanted) {
      return session;
    }
    opening.lock(patience);
    try {
      return open(block, token, patience);
    } finally {
      opening.unlock();
    }
  }

  private SessionProof open(BlockAsk block, TokenParts token, Patience patience)
      throws FallbackException {
    SessionProof last = newest;
    if (last != null && !wanted) {
      return last;
    }
    channel.prepare(patience); // who waited here while the DataNode failed does not ask it again
    SessionProof opened = ask(block, token, patience);
    if (last == null || last.incarnation() != opened.incarnation()) {
      newest = opened;
    }
    // Else somebody lied that the DataNode has forgotten the last one, which leases are bound to.
    wanted = false;
    return last == null || last.incarnation() != opened.incarnation() ? opened : last;
  }

  /**
   * Has a new one opened: the DataNode says that it does not know this one. Never waits, for gRPC's
   * threads call it. Said too often or missed, it costs one more question.
   */
  void lost(SessionProof session) {
    if (newest == session) {
      wanted = true;
    }
  }

  private SessionProof ask(BlockAsk target, TokenParts token, Patience patience)
      throws FallbackException {
    GrantProof proof = GrantProof.ofPassword(token.password());
    OpenSessionRequest.Builder unproved =
        OpenSessionRequest.newBuilder()
            .setClientId(clientId)
            .setNonce(GrantProof.newNonce())
            .setBlock(BlockIds.encode(target.block()))
            .setTokenIdentifier(token.identifier());
    OpenSessionRequest request = unproved.setProof(proof.ofOpening(unproved.build())).build();
    OpenSessionReply reply = channel.openSession(request, patience);
    if (reply.hasRefusal()) {
      throw new FallbackException(
          FallbackReason.ofWire(reply.getRefusal().getReason()),
          "session on " + channel.endpoint() + ": " + reply.getRefusal().getDetail());
    }
    Proven proven = reply.getSession();
    if (!Transcript.matches(proven.getProof(), proof.ofSession(request, proven.getStatement()))) {
      throw channel.failed(PlaneErrors.unauthentic(channel.endpoint(), "the session"));
    }
    return session(proof, request, proven.getStatement());
  }

  private SessionProof session(GrantProof proof, OpenSessionRequest request, ByteString bytes)
      throws FallbackException {
    try {
      SessionStatement statement = SessionStatement.parseFrom(bytes);
      byte[] sealed = statement.getSealedKey().toByteArray();
      ByteString id = statement.getSessionId();
      if (sealed.length == Transcript.PROOF_BYTES && id.size() == GrantProof.NONCE_BYTES) {
        byte[] key = proof.seal(request, id, sealed);
        return SessionProof.ofKey(key, clientId, statement.getIncarnation(), id);
      }
    } catch (InvalidProtocolBufferException e) {
      // Said below.
    }
    throw channel.failed(PlaneErrors.garbage(channel.endpoint(), "no session, but proved"));
  }
}
