// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.OpenSessionRequest;
import javax.crypto.spec.SecretKeySpec;

/**
 * What client and DataNode prove to each other by a block token's password, which both know (the
 * DataNode makes it from the token's identifier and its block keys) and neither sends. Each proof
 * is an HMAC-SHA-256 under a key derived from the password. Those of the DataNode cover the nonce
 * of the request that they answer. Immutable; nothing secret is in {@code toString}.
 */
public final class GrantProof {
  /** Bytes of a nonce, and of a session's id. */
  public static final int NONCE_BYTES = 16;

  private final SecretKeySpec key;

  private GrantProof(SecretKeySpec key) {
    this.key = key;
  }

  /**
   * Of one block token.
   *
   * @param password at least one byte
   */
  public static GrantProof ofPassword(byte[] password) {
    byte[] derived = new Transcript(Transcript.key(password), "token key").end();
    return new GrantProof(Transcript.key(derived));
  }

  /** One of the write plane's proofs, to be gone on with. */
  Transcript ofWrites(String label, SessionProof session) {
    return session.identify(new Transcript(key, ProtocolVersion.WRITES, label));
  }

  /** Bytes that nobody has seen before. */
  public static ByteString newNonce() {
    return ByteString.copyFrom(Transcript.random(NONCE_BYTES));
  }

  /** The client's, for a session; the request's own proof is not looked at. */
  public ByteString ofOpening(OpenSessionRequest request) {
    return opening("open session", request).proof();
  }

  /** The DataNode's, for the SessionStatement that it answers with. */
  public ByteString ofSession(OpenSessionRequest request, ByteString statement) {
    return opening("session", request).add(statement).proof();
  }

  /**
   * Hides a session's key, or shows it again: the pad is used once, for the nonce of the one end
   * and the session id of the other are new.
   *
   * @param sessionKey {@link Transcript#PROOF_BYTES} bytes
   */
  public byte[] seal(OpenSessionRequest request, ByteString sessionId, byte[] sessionKey) {
    byte[] sealed = opening("seal", request).add(sessionId).end();
    for (int i = 0; i < sealed.length; i++) {
      sealed[i] ^= sessionKey[i];
    }
    return sealed;
  }

  private Transcript opening(String label, OpenSessionRequest request) {
    return new Transcript(key, label)
        .add(request.getClientId())
        .add(request.getNonce())
        .add(request.getBlock())
        .add(request.getTokenIdentifier());
  }

  /** The client's, for one block of a grant request; the block's own proof is not looked at. */
  public ByteString ofAsk(SessionProof session, ByteString nonce, BlockRequest ask) {
    return asking("ask", session, nonce, ask).proof();
  }

  /** The DataNode's, for the GrantStatement that it answers with. */
  public ByteString ofGrant(
      SessionProof session, ByteString nonce, BlockRequest ask, ByteString statement) {
    return asking("grant", session, nonce, ask).add(statement).proof();
  }

  private Transcript asking(
      String label, SessionProof session, ByteString nonce, BlockRequest ask) {
    return session
        .identify(new Transcript(key, label))
        .add(nonce)
        .add(ask.getBlock())
        .add(ask.getTokenIdentifier());
  }
}
