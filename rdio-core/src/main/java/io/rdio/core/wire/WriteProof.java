// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.SessionAuth;
import java.util.ArrayList;
import java.util.List;

/**
 * What client and DataNode prove to each other about writes, as {@link GrantProof} and {@link
 * SessionProof} do about reads: a block token's password proves the right to write the block, and
 * that a slot is the DataNode's; the session's key proves all else. No proof of a read, of another
 * session or of another request is one of these.
 */
public final class WriteProof {
  private WriteProof() {}

  /** The client's, for the block of an allocation; the block's own proof is not looked at. */
  public static ByteString ofAsk(
      GrantProof token, SessionProof session, ByteString nonce, BlockRequest ask) {
    return asking("allocate ask", token, session, nonce, ask).proof();
  }

  private static Transcript asking(
      String label, GrantProof token, SessionProof session, ByteString nonce, BlockRequest ask) {
    return token
        .ofWrites(label, session)
        .add(nonce)
        .add(ask.getBlock())
        .add(ask.getTokenIdentifier());
  }

  /** For an allocation, whose block has its proof already; what the request has is ignored. */
  public static SessionAuth authAllocate(
      SessionProof session, ByteString nonce, AllocateRequest request) {
    BlockRequest block = request.getBlock();
    Transcript transcript =
        session
            .ofWrites("allocate")
            .add(nonce)
            .add(request.getProtocolVersion())
            .add(block.getBlock())
            .add(block.getTokenIdentifier())
            .add(block.getProof())
            .add(request.getStorageId())
            .add(request.getBytes())
            .add(request.getChecksumType())
            .add(request.getBytesPerChecksum())
            .add(request.getHostKey());
    return session.auth(nonce, transcript);
  }

  /** The DataNode's, for the WriteGrant that it answers an allocation with. */
  public static ByteString ofGrant(
      GrantProof token, SessionProof session, AllocateRequest request, ByteString statement) {
    SessionAuth auth = request.getAuth();
    return asking("write grant", token, session, auth.getNonce(), request.getBlock())
        .add(auth.getProof())
        .add(statement)
        .proof();
  }

  /** For renewals. */
  public static SessionAuth authRenew(
      SessionProof session, ByteString nonce, long incarnation, List<Long> leaseIds) {
    Transcript transcript =
        session.ofWrites("write renew").add(nonce).add(incarnation).add(leaseIds);
    return session.auth(nonce, transcript);
  }

  /** The DataNode's, for its answer to the renewals that were asked for with this nonce. */
  public static ByteString ofRenewals(
      SessionProof session, ByteString nonce, List<Long> leaseMillis) {
    return session.ofWrites("write renewals").add(nonce).add(leaseMillis).proof();
  }

  /** For aborts. */
  public static SessionAuth authAbort(
      SessionProof session,
      ByteString nonce,
      long incarnation,
      List<Long> leaseIds,
      List<Integer> ends) {
    List<Long> words = new ArrayList<>(ends.size());
    for (int word : ends) {
      words.add((long) word);
    }
    Transcript transcript =
        session.ofWrites("abort").add(nonce).add(incarnation).add(leaseIds).add(words);
    return session.auth(nonce, transcript);
  }

  /** For a commit's head, before any of its CRCs; what the head has is ignored. */
  public static SessionAuth authCommit(SessionProof session, ByteString nonce, CommitHead head) {
    return session.auth(nonce, commit("commit head", session, nonce, head));
  }

  private static Transcript commit(
      String label, SessionProof session, ByteString nonce, CommitHead head) {
    return session
        .ofWrites(label)
        .add(nonce)
        .add(head.getIncarnation())
        .add(head.getLeaseId())
        .add(head.getBlock())
        .add(head.getLength());
  }

  /** Begins the client's proof for all of a commit. */
  public static CommitSum sum(SessionProof session, CommitHead head) {
    return new CommitSum(commit("commit", session, head.getAuth().getNonce(), head));
  }

  /**
   * The DataNode's, for its answer that all is committed; a refusal has none.
   *
   * @param requested the client's proof for all of the commit
   */
  public static ByteString ofCommit(
      SessionProof session, CommitHead head, ByteString requested, long incarnation) {
    return commit("committed", session, head.getAuth().getNonce(), head)
        .add(requested)
        .add(incarnation)
        .proof();
  }
}
