// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.stub.StreamObserver;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.FileMap;
import io.rdio.core.lease.Lease;
import io.rdio.core.lease.LeaseClock;
import io.rdio.core.metadata.proto.RenewReply;
import io.rdio.core.metadata.proto.RenewRequest;
import io.rdio.core.metadata.proto.ReturnReply;
import io.rdio.core.metadata.proto.ReturnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renewals and returns of one DataNode's leases, batched and without waiting. Thread-safe. */
final class LeaseTraffic {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseTraffic.class);
  private static final int BATCH = 8192;

  private final DataNodeChannel channel;
  private final MetadataClientSettings settings;
  private final LeaseClock clock;
  private final DataNodeSession session;
  private final AtomicInteger renewals = new AtomicInteger();
  private final AtomicInteger returns = new AtomicInteger();

  LeaseTraffic(
      DataNodeChannel channel,
      MetadataClientSettings settings,
      LeaseClock clock,
      DataNodeSession session) {
    this.channel = channel;
    this.settings = settings;
    this.clock = clock;
    this.session = session;
  }

  /** Renews those leases that want it, unless an earlier renewal is still under way. */
  void renew(Iterable<FileMap> leases) {
    if (renewals.get() > 0) {
      return;
    }
    long now = clock.nanos();
    List<FileMap> batch = new ArrayList<>();
    for (FileMap map : leases) {
      if (wantsRenewal(map.lease(), now)) {
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

  /** In use since it was granted or renewed, and past half of its term, but still valid. */
  private boolean wantsRenewal(Lease lease, long now) {
    long term = lease.spanNanos() + settings.leaseMargin().toNanos();
    return lease.usedAndOlderThan(term / 2, now);
  }

  private void send(List<FileMap> batch) {
    RenewRequest.Builder request = RenewRequest.newBuilder().setClientId(settings.clientId());
    request.setIncarnation(batch.get(0).origin().incarnation());
    for (FileMap map : batch) {
      request.addLeaseIds(map.lease().id());
    }
    renewals.incrementAndGet();
    channel.renew(request.build(), new Renewal(batch, clock.nanos()));
  }

  /** Tells the DataNode which leases ended; those of an earlier incarnation mean nothing to it. */
  void giveBack(List<FileMap> ended) {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < ended.size(); i++) {
      ids.add(ended.get(i).lease().id());
      boolean last = i + 1 == ended.size();
      long incarnation = ended.get(i).origin().incarnation();
      if (last || ids.size() == BATCH || ended.get(i + 1).origin().incarnation() != incarnation) {
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
    returns.incrementAndGet();
    channel.giveBack(
        ReturnRequest.newBuilder()
            .setClientId(settings.clientId())
            .setIncarnation(incarnation)
            .addAllLeaseIds(ids)
            .build(),
        new Giving());
  }

  private final class Renewal implements StreamObserver<RenewReply> {
    private final List<FileMap> batch;
    private final long sent;

    Renewal(List<FileMap> batch, long sent) {
      this.batch = batch;
      this.sent = sent;
    }

    @Override
    public void onNext(RenewReply reply) {
      channel.answered();
      session.observe(reply.getIncarnation());
      if (reply.getLeaseMillisCount() != batch.size()) {
        channel.failed(
            PlaneErrors.garbage(
                channel.endpoint(),
                reply.getLeaseMillisCount() + " renewals for " + batch.size() + " leases"));
        return;
      }
      for (int i = 0; i < batch.size(); i++) {
        session.renewed(batch.get(i), reply.getLeaseMillis(i), sent);
      }
    }

    @Override
    public void onError(Throwable error) {
      renewals.decrementAndGet();
      channel.failed(PlaneErrors.of(channel.endpoint(), "renew", error));
    }

    @Override
    public void onCompleted() {
      renewals.decrementAndGet();
    }
  }

  private final class Giving implements StreamObserver<ReturnReply> {
    @Override
    public void onNext(ReturnReply reply) {}

    @Override
    public void onError(Throwable error) {
      returns.decrementAndGet();
      if (PlaneErrors.of(channel.endpoint(), "return", error).reason()
          != FallbackReason.INTERRUPTED) {
        LOG.debug("RDIO: leases not returned to {}, they run out", channel.endpoint(), error);
      }
    }

    @Override
    public void onCompleted() {
      returns.decrementAndGet();
    }
  }
}
