// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Proven;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.SessionAuth;
import io.rdio.core.wire.proto.SessionStatement;
import io.rdio.datanode.grant.GrantService;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of one incarnation: opened for who proves a block token, and found again from what a
 * request says. Keeps nothing but one secret; see {@link SessionProof}. Thread-safe.
 */
final class ServerSessions {
  /** No client's id has it, so no client can call itself what a session is called. */
  static final char SEPARATOR = '\n';

  private final GrantService grants;
  private final SecretKeySpec secret;

  ServerSessions(GrantService grants) {
    this.grants = grants;
    this.secret = Transcript.key(Transcript.random(Transcript.PROOF_BYTES));
  }

  /** A new session, or why there is none. */
  OpenSessionReply open(OpenSessionRequest request) throws ServerRequestException {
    String clientId = ServerRequestCheck.clientId(request.getClientId());
    BlockKey block = ServerRequestCheck.block(request.getBlock());
    ServerRequestCheck.tokenSize(request.getTokenIdentifier());
    ServerRequestCheck.nonce(request.getNonce());
    try {
      GrantProof token =
          GrantProof.ofPassword(
              grants.tokenPassword(block, request.getTokenIdentifier().toByteArray()));
      if (!Transcript.matches(request.getProof(), token.ofOpening(request))) {
        throw new FallbackException(
            FallbackReason.TOKEN_REFUSED, "the proof of the token for " + block + " is wrong");
      }
      ByteString id = GrantProof.newNonce();
      ByteString statement =
          SessionStatement.newBuilder()
              .setIncarnation(grants.incarnation())
              .setSessionId(id)
              .setSealedKey(
                  ByteString.copyFrom(
                      token.seal(request, id, SessionProof.key(secret, clientId, id))))
              .build()
              .toByteString();
      return OpenSessionReply.newBuilder()
          .setSession(
              Proven.newBuilder()
                  .setStatement(statement)
                  .setProof(token.ofSession(request, statement)))
          .build();
    } catch (FallbackException e) {
      grants.counters().refused(e.reason());
      return OpenSessionReply.newBuilder()
          .setRefusal(ServerMessages.refusal(e.reason(), e.detail()).getRefusal())
          .build();
    }
  }

  /** The session that a grant request is of; null if it does not prove it. */
  @Nullable SessionProof of(GrantRequest request) throws ServerRequestException {
    SessionAuth auth = request.getAuth();
    SessionProof session = named(request.getClientId(), auth);
    SessionAuth right =
        session.authGrant(auth.getNonce(), request.getProtocolVersion(), request.getBlocksList());
    return proved(session, auth, right);
  }

  /** What a request must say of itself to be a session's. */
  @FunctionalInterface
  interface Right {
    SessionAuth of(SessionProof session, ByteString nonce);
  }

  /** The session that a request to the write plane is of; null if it does not prove it. */
  @Nullable SessionProof of(String clientId, SessionAuth auth, Right right)
      throws ServerRequestException {
    SessionProof session = named(clientId, auth);
    return proved(session, auth, right.of(session, auth.getNonce()));
  }

  /** The session that a request about leases is of; null if it does not prove it. */
  @Nullable SessionProof of(
      SessionProof.Call call, String clientId, SessionAuth auth, List<Long> leaseIds)
      throws ServerRequestException {
    SessionProof session = named(clientId, auth);
    return proved(session, auth, session.auth(call, auth.getNonce(), leaseIds));
  }

  /**
   * Renews leases of who asks: of its session, or of a client without one.
   *
   * @param ids of the request
   */
  RenewReply renew(RenewRequest request, String clientId, long[] ids)
      throws ServerRequestException {
    RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(grants.incarnation());
    if (!request.hasAuth()) {
      return reply.addAllLeaseMillis(renew(clientId, request, ids)).build();
    }
    SessionProof session =
        of(SessionProof.Call.RENEW, clientId, request.getAuth(), request.getLeaseIdsList());
    if (session == null) {
      return reply.addAllLeaseMillis(Collections.nCopies(ids.length, 0L)).build();
    }
    List<Long> terms = renew(holder(clientId, session), request, ids);
    return reply
        .addAllLeaseMillis(terms)
        .setProof(session.ofRenewals(request.getAuth().getNonce(), terms))
        .build();
  }

  private List<Long> renew(String holder, RenewRequest request, long[] ids) {
    return Arrays.stream(grants.renew(holder, request.getIncarnation(), ids)).boxed().toList();
  }

  /** Whose leases a request is about; null when it does not prove that it may be. */
  @Nullable String holder(
      SessionProof.Call call, String clientId, @Nullable SessionAuth auth, List<Long> leaseIds)
      throws ServerRequestException {
    if (auth == null) {
      return clientId;
    }
    SessionProof session = of(call, clientId, auth, leaseIds);
    return session == null ? null : holder(clientId, session);
  }

  private SessionProof named(String clientId, SessionAuth auth) throws ServerRequestException {
    ServerRequestCheck.nonce(auth.getSessionId());
    ServerRequestCheck.nonce(auth.getNonce());
    byte[] key = SessionProof.key(secret, clientId, auth.getSessionId());
    return SessionProof.ofKey(key, clientId, grants.incarnation(), auth.getSessionId());
  }

  private static @Nullable SessionProof proved(
      SessionProof session, SessionAuth given, SessionAuth right) {
    return Transcript.matches(given.getProof(), right.getProof()) ? session : null;
  }

  /** What the holder of a session's leases is called: nobody else holds them, whatever its id. */
  static String holder(String clientId, SessionProof session) {
    return clientId + SEPARATOR + HexFormat.of().formatHex(session.id().toByteArray());
  }
}
