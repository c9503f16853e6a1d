// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import io.rdio.client.plane.WritePlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.CommitAsk;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.wire.WriteProof;
import io.rdio.core.wire.proto.AbortReply;
import io.rdio.core.wire.proto.AbortRequest;
import io.rdio.core.wire.proto.AllocateReply;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.CommitReply;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.write.SlotEnd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Calls to the write plane of one DataNode. Thread-safe. */
final class WriteCalls {
  private final DataNodeSession dataNode;
  private final DataNodeChannel channel;
  private final ClientSessions sessions;
  private final String clientId;
  private final int newest;
  private final MonotonicClock clock;
  private final LeaseTerms terms;
  private final WriteSettings settings;

  WriteCalls(DataNodeSession dataNode, GrantContext context, WriteSettings settings) {
    this.dataNode = dataNode;
    this.channel = dataNode.channel();
    this.sessions = dataNode.sessions();
    this.clientId = context.settings().clientId();
    this.newest = context.settings().versions().max();
    this.clock = context.clock();
    this.terms = context.terms();
    this.settings = settings;
  }

  /** Asks for a slot, and once more if the DataNode was replaced since it was greeted. */
  GrantedSlot allocate(TokenedBlock block, SlotAsk ask) throws FallbackException {
    Patience patience = channel.patience();
    try {
      return allocate(block, ask, patience);
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.SESSION_UNKNOWN
          && e.reason() != FallbackReason.PROTOCOL_MISMATCH) {
        throw e;
      }
    }
    return allocate(block, ask, patience);
  }

  private GrantedSlot allocate(TokenedBlock block, SlotAsk ask, Patience patience)
      throws FallbackException {
    AllocateExchange exchange = exchange(block, ask, patience);
    long sent = clock.nanos();
    AllocateReply reply =
        channel.write("allocate", patience, stub -> stub.allocate(exchange.request()));
    SessionProof session = exchange.session();
    SlotGrant grant;
    try {
      grant = exchange.answer(reply);
    } catch (FallbackException e) {
      if (!reply.hasRefusal()) {
        throw channel.failed(e);
      }
      replaced(e.reason(), session); // no more than said, and no failure of the DataNode
      throw e;
    }
    long deadline = terms.deadline(sent, grant.leaseMillis());
    GrantedSlot slot = new GrantedSlot(block, grant, deadline, session);
    if (deadline - clock.nanos() <= 0) {
      throw ranOut(slot, patience);
    }
    return slot;
  }

  /** With proofs where there is a token: then nothing less is sent, nor believed. */
  private AllocateExchange exchange(TokenedBlock block, SlotAsk ask, Patience patience)
      throws FallbackException {
    int version = channel.prepare(patience);
    if (version < ProtocolVersion.WRITES) {
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          "with "
              + channel.endpoint()
              + " this client speaks version "
              + version
              + " of "
              + newest
              + " of the protocol; writes need version "
              + ProtocolVersion.WRITES);
    }
    if (block.token().length == 0) {
      return AllocateExchange.plain(channel.endpoint(), clientId, version, ask);
    }
    TokenParts token = TokenParts.of(block.token());
    SessionProof session = session(block, token, patience);
    return AllocateExchange.proven(channel.endpoint(), clientId, version, ask, session, token);
  }

  private SessionProof session(TokenedBlock block, TokenParts token, Patience patience)
      throws FallbackException {
    long asked = clock.nanos();
    SessionProof session = sessions.forGrant(new BlockAsk(block), token, patience);
    dataNode.observe(session.incarnation(), asked);
    return session;
  }

  private void replaced(FallbackReason reason, @Nullable SessionProof session) {
    if (reason == FallbackReason.PROTOCOL_MISMATCH) {
      channel.forgetVersion();
    }
    if (reason == FallbackReason.SESSION_UNKNOWN && session != null) {
      channel.forgetVersion();
      sessions.lost(session);
    }
  }

  private FallbackException ranOut(GrantedSlot slot, Patience patience) {
    String words =
        "a write lease of " + slot.grant().leaseMillis() + " ms from " + channel.endpoint();
    try {
      abort(List.of(new WritePlane.Ended(slot, SlotEnd.UNWRITTEN)));
    } catch (FallbackException e) {
      return e; // it runs out by itself
    }
    return patience.clientStoodStill()
        ? new FallbackException(
            FallbackReason.LEASE_EXPIRED, words + " ran out while this client stood still")
        : new FallbackException(
            FallbackReason.LEASE_EXPIRED,
            words + " does not outlast the answer and " + Setting.LEASE_MARGIN);
  }

  /** Asks for new terms; for each slot, in order, its deadline. */
  List<OptionalLong> renew(List<GrantedSlot> slots) throws FallbackException {
    List<OptionalLong> deadlines =
        new ArrayList<>(Collections.nCopies(slots.size(), OptionalLong.empty()));
    for (List<Integer> batch : GrantedSlot.batches(slots, WriteCodec.LEASES_MAX)) {
      List<Long> ids = batch.stream().map(i -> slots.get(i).grant().leaseId()).toList();
      GrantedSlot first = slots.get(batch.get(0));
      List<OptionalLong> renewed = renew(first.grant().incarnation(), first.session(), ids);
      for (int i = 0; i < renewed.size(); i++) {
        deadlines.set(batch.get(i), renewed.get(i));
      }
    }
    return deadlines;
  }

  private List<OptionalLong> renew(long incarnation, @Nullable SessionProof session, List<Long> ids)
      throws FallbackException {
    RenewRequest.Builder request =
        RenewRequest.newBuilder()
            .setClientId(clientId)
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids);
    ByteString nonce = GrantProof.newNonce();
    if (session != null) {
      request.setAuth(WriteProof.authRenew(session, nonce, incarnation, ids));
    }
    long sent = clock.nanos();
    RenewReply reply =
        channel.write("renew writes", channel.patience(), stub -> stub.renew(request.build()));
    if (reply.getIncarnation() != incarnation) {
      // Whoever says so, it costs speed only.
      replaced(FallbackReason.SESSION_UNKNOWN, session);
      return List.of();
    }
    List<Long> millis = reply.getLeaseMillisList();
    if (session != null
        && !Transcript.matches(reply.getProof(), WriteProof.ofRenewals(session, nonce, millis))) {
      throw channel.failed(PlaneErrors.unauthentic(channel.endpoint(), "renewals of writes"));
    }
    if (millis.size() != ids.size()) {
      throw channel.failed(
          PlaneErrors.garbage(
              channel.endpoint(), millis.size() + " renewals for " + ids.size() + " slots"));
    }
    return millis.stream()
        .map(ms -> ms > 0 ? OptionalLong.of(terms.deadline(sent, ms)) : OptionalLong.empty())
        .toList();
  }

  /**
   * Commits, and once more if the DataNode was replaced meanwhile: it may have done so before. One
   * that is slow is waited for; one that is silent, and does not say that it is there, is not.
   */
  void commit(GrantedSlot slot, long length, ByteBuffer checksums) throws FallbackException {
    Patience patience = Patience.of(settings.commitTimeout(), clock);
    SessionProof session = slot.session();
    try {
      commit(slot, session, length, checksums, patience);
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.SESSION_UNKNOWN || session == null) {
        throw e;
      }
      replaced(e.reason(), session);
      TokenParts token = TokenParts.of(slot.block().token());
      SessionProof anew = session(slot.block(), token, channel.patience());
      commit(slot, anew, length, checksums, patience);
    }
  }

  private void commit(
      GrantedSlot slot,
      @Nullable SessionProof session,
      long length,
      ByteBuffer checksums,
      Patience patience)
      throws FallbackException {
    SlotGrant grant = slot.grant();
    CommitAsk ask = new CommitAsk(grant.incarnation(), grant.leaseId(), grant.block(), length);
    CommitHead.Builder head = WriteCodec.encode(ask).setClientId(clientId);
    if (session != null) {
      head.setAuth(WriteProof.authCommit(session, GrantProof.newNonce(), head.build()));
    }
    CommitExchange exchange =
        new CommitExchange(channel, head.build(), session, settings.commitSilence());
    CommitReply reply = exchange.send(checksums, patience);
    if (reply.hasRefusal()) {
      throw new FallbackException(
          reasonOfCommit(reply.getRefusal().getReason()),
          "commit of "
              + grant.block()
              + " on "
              + channel.endpoint()
              + ": "
              + reply.getRefusal().getDetail());
    }
    if (!exchange.isProved(reply)) {
      throw channel.failed(
          PlaneErrors.unauthentic(channel.endpoint(), "a commit of " + grant.block()));
    }
  }

  /** A DataNode reads a block back before it commits it, so here alone it may find this. */
  private static FallbackReason reasonOfCommit(String name) {
    return FallbackReason.CHECKSUM_MISMATCH.name().equals(name)
        ? FallbackReason.CHECKSUM_MISMATCH
        : FallbackReason.ofWire(name);
  }

  /**
   * Tells of slots that are not wanted; those of which it came too late, or of which there was no
   * answer.
   *
   * @throws FallbackException why there was no answer at all
   */
  List<WritePlane.Ended> abort(List<WritePlane.Ended> ended) throws FallbackException {
    List<WritePlane.Ended> late = new ArrayList<>();
    List<GrantedSlot> slots = ended.stream().map(each -> GrantedSlot.of(each.slot())).toList();
    FallbackException failure = null;
    boolean isAnswered = false;
    for (List<Integer> batch : GrantedSlot.batches(slots, WriteCodec.LEASES_MAX)) {
      List<WritePlane.Ended> told = batch.stream().map(i -> ended.get(i)).toList();
      try {
        for (int place : abort(request(told))) {
          late.add(told.get(place));
        }
        isAnswered = true;
      } catch (FallbackException e) {
        failure = e; // what was answered of the others holds all the same
        late.addAll(told);
      }
    }
    if (failure != null && !isAnswered) {
      throw failure;
    }
    return late;
  }

  /** Of one batch. */
  private AbortRequest request(List<WritePlane.Ended> told) {
    GrantedSlot first = GrantedSlot.of(told.get(0).slot());
    long incarnation = first.grant().incarnation();
    List<Long> ids =
        told.stream().map(each -> GrantedSlot.of(each.slot()).grant().leaseId()).toList();
    List<Integer> ends = told.stream().map(each -> each.how().word()).toList();
    AbortRequest.Builder request =
        AbortRequest.newBuilder()
            .setClientId(clientId)
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids)
            .addAllEnds(ends);
    SessionProof session = first.session();
    if (session != null) {
      ByteString nonce = GrantProof.newNonce();
      request.setAuth(WriteProof.authAbort(session, nonce, incarnation, ids, ends));
    }
    return request.build();
  }

  /** The places of those in the request of which it came too late. */
  private List<Integer> abort(AbortRequest request) throws FallbackException {
    AbortReply reply = channel.write("abort", channel.patience(), stub -> stub.abort(request));
    try {
      // Unproved: whoever says so, it costs speed only.
      return WriteCodec.late(reply, request.getLeaseIdsCount());
    } catch (IllegalArgumentException e) {
      throw channel.failed(PlaneErrors.garbage(channel.endpoint(), String.valueOf(e.getMessage())));
    }
  }
}
