// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.Transcript;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renewals and returns of one DataNode's leases, batched and without waiting. Thread-safe. */
final class LeaseTraffic {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseTraffic.class);
  private static final int BATCH = 8192;

  private final DataNodeChannel channel;
  private final String clientId;
  private final MonotonicClock clock;
  private final LeaseTerms terms;
  private final DataNodeSession session;
  private final ClientSessions sessions;
  private final AtomicInteger renewals = new AtomicInteger();
  private final AtomicInteger returns = new AtomicInteger();

  LeaseTraffic(
      DataNodeChannel channel,
      GrantContext context,
      DataNodeSession session,
      ClientSessions sessions) {
    this.channel = channel;
    this.clientId = context.settings().clientId();
    this.clock = context.clock();
    this.terms = context.terms();
    this.session = session;
    this.sessions = sessions;
  }

  /** Renews those leases that want it, unless an earlier renewal is still under way. */
  void renew(Iterable<FileMap> leases) {
    if (renewals.get() > 0) {
      return;
    }
    long now = clock.nanos();
    List<FileMap> batch = new ArrayList<>();
    for (FileMap map : leases) {
      if (sessions.vouchesFor(GrantOrigin.of(map).incarnation())
          && terms.wantsRenewal(Lease.of(map), now)) {
        batch.add(map);
        if (batch.size() == BATCH) {
          send(batch);
          batch = new ArrayList<>();
        }
      }
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  private void send(List<FileMap> batch) {
    long incarnation = GrantOrigin.of(batch.get(0)).incarnation();
    RenewRequest.Builder request =
        RenewRequest.newBuilder().setClientId(clientId).setIncarnation(incarnation);
    for (FileMap map : batch) {
      request.addLeaseIds(Lease.of(map).id());
    }
    SessionProof proof = sessions.of(incarnation);
    if (proof == null && !sessions.vouchesFor(incarnation)) {
      return; // replaced this moment; these leases run out
    }
    ByteString nonce = ByteString.EMPTY;
    if (proof != null) {
      nonce = GrantProof.newNonce();
      request.setAuth(proof.auth(SessionProof.Call.RENEW, nonce, request.getLeaseIdsList()));
    }
    Patience patience = channel.patience();
    Renewal renewal = new Renewal(batch, patience, proof, nonce);
    renewal.begin(() -> channel.renew(request.build(), patience, renewal));
  }

  /** Tells the DataNode which leases ended; those of an earlier incarnation mean nothing to it. */
  void giveBack(List<FileMap> ended) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < ended.size(); i++) {
      ids.add(Lease.of(ended.get(i)).id());
      boolean last = i + 1 == ended.size();
      long incarnation = GrantOrigin.of(ended.get(i)).incarnation();
      if (last
          || ids.size() == BATCH
          || GrantOrigin.of(ended.get(i + 1)).incarnation() != incarnation) {
        giveBack(incarnation, ids);
        ids = new ArrayList<>();
      }
    }
  }

  /** Whether the DataNode has not answered to every return yet. */
  boolean returnsUnderWay() {
    return returns.get() > 0;
  }

  void giveBack(long incarnation, List<Long> ids) {
    ReturnRequest.Builder request =
        ReturnRequest.newBuilder()
            .setClientId(clientId)
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids);
    SessionProof proof = sessions.of(incarnation);
    if (proof != null) {
      request.setAuth(proof.auth(SessionProof.Call.RETURN, GrantProof.newNonce(), ids));
    }
    Giving giving = new Giving();
    giving.begin(() -> channel.giveBack(request.build(), giving));
  }

  /**
   * A call that is counted while it is under way. It ends once, though one that could not be sent
   * may end twice: with what was thrown, and by gRPC's word. One that never ended would keep all
   * later ones from being made.
   */
  private abstract static class Counted<T> implements StreamObserver<T> {
    private final AtomicInteger underWay;
    private final AtomicBoolean ended = new AtomicBoolean();

    Counted(AtomicInteger underWay) {
      this.underWay = underWay;
    }

    void begin(Runnable send) {
      boolean sent = false;
      underWay.incrementAndGet();
      try {
        send.run();
        sent = true;
      } finally {
        if (!sent) {
          end();
        }
      }
    }

    void end() {
      if (ended.compareAndSet(false, true)) {
        underWay.decrementAndGet();
      }
    }

    @Override
    public void onCompleted() {
      end();
    }
  }

  private final class Renewal extends Counted<RenewReply> {
    private final List<FileMap> batch;
    private final Patience patience;
    private final @Nullable SessionProof proof;
    private final ByteString nonce;

    /**
     * @param patience began before the request is sent
     * @param proof what the answer must be proved by; null where there is no session
     */
    Renewal(
        List<FileMap> batch, Patience patience, @Nullable SessionProof proof, ByteString nonce) {
      super(renewals);
      this.batch = batch;
      this.patience = patience;
      this.proof = proof;
      this.nonce = nonce;
    }

    /** Whether these are the terms that this DataNode gave now. */
    private boolean isAuthentic(RenewReply reply) {
      return proof == null
          || Transcript.matches(
              reply.getProof(), proof.ofRenewals(nonce, reply.getLeaseMillisList()));
    }

    @Override
    public void onNext(RenewReply reply) {
      channel.answered();
      SessionProof old =
          proof != null && reply.getIncarnation() != proof.incarnation() ? proof : null;
      if (old != null) {
        sessions.lost(old); // first: who gets this session afterwards must be told that it is old
      }
      // Whoever says so, it costs speed only: the leases of another incarnation are let go.
      session.observe(reply.getIncarnation(), patience.beganNanos());
      if (old != null) {
        return;
      }
      if (!isAuthentic(reply)) {
        channel.failed(PlaneErrors.unauthentic(channel.endpoint(), "renewals"));
        return;
      }
      if (reply.getLeaseMillisCount() != batch.size()) {
        channel.failed(
            PlaneErrors.garbage(
                channel.endpoint(),
                reply.getLeaseMillisCount() + " renewals for " + batch.size() + " leases"));
        return;
      }
      for (int i = 0; i < batch.size(); i++) {
        session.renewed(batch.get(i), reply.getLeaseMillis(i), patience.beganNanos());
      }
    }

    @Override
    public void onError(Throwable error) {
      end();
      FallbackException failure = PlaneErrors.of(channel.endpoint(), "renew", error);
      if (!patience.excuses(failure, Long.MAX_VALUE)) {
        channel.failed(failure);
      } // else this client stood still; the next look renews
    }
  }

  private final class Giving extends Counted<ReturnReply> {
    Giving() {
      super(returns);
    }

    @Override
    public void onNext(ReturnReply reply) {}

    @Override
    public void onError(Throwable error) {
      end();
      LOG.debug("RDIO: leases not returned to {}, they run out", channel.endpoint(), error);
    }
  }
}
