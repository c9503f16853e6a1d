// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.SessionAuth;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the client and the DataNode of a session prove to each other: that a request is of the
 * client that opened the session, and that a renewal is the DataNode's answer to this very request.
 * One HMAC-SHA-256 for each message, however many leases it names. Immutable.
 *
 * <p>The DataNode keeps no list of sessions: it makes a session's key anew from a secret of its
 * own, of this incarnation, whenever a request names the session. So sessions cost it nothing,
 * nobody can crowd out another's, and all end with the incarnation.
 */
public final class SessionProof {
  /** What a request is, in its proof. */
  public enum Call {
    GRANT,
    RENEW,
    RETURN,
    RECALLS
  }

  private final SecretKeySpec key;
  private final String clientId;
  private final long incarnation;
  private final ByteString id;

  private SessionProof(SecretKeySpec key, String clientId, long incarnation, ByteString id) {
    this.key = key;
    this.clientId = clientId;
    this.incarnation = incarnation;
    this.id = id;
  }

  /**
   * A session as its client knows it.
   *
   * @param key {@link Transcript#PROOF_BYTES} bytes
   */
  public static SessionProof ofKey(byte[] key, String clientId, long incarnation, ByteString id) {
    return new SessionProof(Transcript.key(key), clientId, incarnation, id);
  }

  /**
   * The key of a session, for its DataNode.
   *
   * @param secret of this incarnation
   */
  public static byte[] key(SecretKeySpec secret, String clientId, ByteString id) {
    return new Transcript(secret, "session key").add(clientId).add(id).end();
  }

  public long incarnation() {
    return incarnation;
  }

  public ByteString id() {
    return id;
  }

  /** Adds which session this is. */
  Transcript identify(Transcript transcript) {
    return transcript.add(clientId).add(incarnation).add(id);
  }

  /** One of the write plane's proofs, to be gone on with. */
  Transcript ofWrites(String label) {
    return identify(new Transcript(key, ProtocolVersion.WRITES, label));
  }

  /** For a grant request, whose blocks have their proofs already. */
  public SessionAuth authGrant(ByteString nonce, int version, List<BlockRequest> blocks) {
    Transcript transcript = request(Call.GRANT, nonce).add(version).add(blocks.size());
    for (BlockRequest block : blocks) {
      transcript
          .add(block.getBlock())
          .add(block.getTokenIdentifier())
          .add(block.getProof())
          .add(block.getSpeculative() ? 1 : 0);
    }
    return auth(nonce, transcript);
  }

  /** For a request about leases. */
  public SessionAuth auth(Call call, ByteString nonce, List<Long> leaseIds) {
    return auth(nonce, request(call, nonce).add(leaseIds));
  }

  /** The DataNode's, for its answer to the renewals that were asked for with this nonce. */
  public ByteString ofRenewals(ByteString nonce, List<Long> leaseMillis) {
    return identify(new Transcript(key, "renewals")).add(nonce).add(leaseMillis).proof();
  }

  private Transcript request(Call call, ByteString nonce) {
    return identify(new Transcript(key, "request " + call)).add(nonce);
  }

  /** What a request says of its session. */
  SessionAuth auth(ByteString nonce, Transcript transcript) {
    return SessionAuth.newBuilder()
        .setSessionId(id)
        .setNonce(nonce)
        .setProof(transcript.proof())
        .build();
  }
}
