// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.GrantProof;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.RecallsRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases that this client has of one DataNode, from grant to return. Thread-safe.
 *
 * <p>A lease leaves the table exactly once, and whoever takes it out ends it before the DataNode
 * hears that it was given up. Reads under way on it then notice when they check it after their I/O.
 */
final class DataNodeSession {
  private static final Logger LOG = LoggerFactory.getLogger(DataNodeSession.class);

  /** Longer leases are cut to this: no sum of times can then overflow. */
  private static final long MAX_TERM_MILLIS = TimeUnit.DAYS.toMillis(1);

  private static final long MAX_TERM_NANOS = TimeUnit.MILLISECONDS.toNanos(MAX_TERM_MILLIS);

  // So often in each term leases are looked at: from half of it on, three tries are left to renew.
  private static final int LOOKS_PER_TERM = 6;

  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long RETURN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A map that left the cache goes on serving the reader that used it this short a time ago. */
  private static final long IN_USE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final DataNodeChannel channel;
  private final MetadataClientSettings settings;
  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final LeaseListener listener;
  private final HeldLeases leases = new HeldLeases();
  private final GrantDecoder decoder;
  private final ClientSessions sessions;
  private final LeaseTraffic traffic;
  private final RecallStream recalls;
  private final Queue<FileMap> released = new ConcurrentLinkedQueue<>();
  private final Incarnations incarnations;
  private final GrantCalls calls;
  private volatile long nextLookNanos;

  DataNodeSession(
      DataNodeChannel channel,
      MetadataClientSettings settings,
      MonotonicClock clock,
      ClientCounters counters,
      LeaseListener listener) {
    this.channel = channel;
    this.settings = settings;
    this.clock = clock;
    this.counters = counters;
    this.listener = listener;
    this.decoder = new GrantDecoder(channel.endpoint(), settings.nullChecksums());
    this.sessions = new ClientSessions(channel, settings.clientId());
    this.incarnations = new Incarnations(clock, this::replaced);
    this.calls = new GrantCalls(channel, settings, clock, counters, sessions, this::observe);
    this.traffic = new LeaseTraffic(channel, settings, clock, this, sessions);
    this.nextLookNanos = clock.nanos();
    this.recalls =
        new RecallStream(channel, channel.newBackOff(), this::recallsRequest, this::recalled);
    channel.onUnreachable(recalls::close);
  }

  DataNodeChannel channel() {
    return channel;
  }

  int leasesHeld() {
    return leases.size();
  }

  /**
   * Asks for the maps of some blocks; one outcome for each, in their order. Asks once more if this
   * client stood still over it: that is not the DataNode's fault.
   */
  List<GrantOutcome> grant(List<GrantTarget> targets) throws FallbackException {
    Patience patience = channel.patience();
    try {
      List<GrantOutcome> outcomes = grant(targets, patience);
      FallbackException refusal = outcomes.get(0).refusal();
      if (refusal == null || refusal.reason() != FallbackReason.LEASE_EXPIRED) {
        return outcomes;
      }
      outcomes.stream().map(GrantOutcome::map).filter(Objects::nonNull).forEach(this::discard);
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.METADATA_PLANE_UNREACHABLE || !patience.clientStoodStill()) {
        throw e;
      }
    }
    return grant(targets, patience.anew());
  }

  private List<GrantOutcome> grant(List<GrantTarget> targets, Patience patience)
      throws FallbackException {
    GrantCalls.Answered answered = calls.ask(targets, patience);
    List<GrantOutcome> outcomes = new ArrayList<>(targets.size());
    for (int i = 0; i < targets.size(); i++) {
      outcomes.add(accept(targets.get(i), answered, i, patience));
    }
    if (!leases.isEmpty()) {
      hearRecalls();
    }
    return outcomes;
  }

  /** Maps that were granted are safe without the stream, which {@link #tend} opens again. */
  private void hearRecalls() {
    try {
      recalls.ensureOpen();
    } catch (RuntimeException | Error e) {
      LOG.warn("RDIO: no stream of recalls from {} for now", channel.endpoint(), e);
    }
  }

  private RecallsRequest recallsRequest() {
    RecallsRequest.Builder request = RecallsRequest.newBuilder().setClientId(settings.clientId());
    SessionProof session = sessions.of(incarnations.present());
    if (session != null) {
      request.setAuth(session.auth(SessionProof.Call.RECALLS, GrantProof.newNonce(), List.of()));
    }
    return request.build();
  }

  private GrantOutcome accept(
      GrantTarget target, GrantCalls.Answered answered, int i, Patience patience) {
    GrantReply reply = answered.reply();
    try {
      GrantExchange.Answer answer = answered.exchange().answer(i, reply);
      return GrantOutcome.granted(hold(target, answer, answered.sent(), patience));
    } catch (FallbackException e) {
      // A DataNode that answers nonsense once would do so for each block of each reader.
      boolean nonsense =
          !reply.getBlocks(i).hasRefusal()
              && (e.reason() == FallbackReason.METADATA_PLANE_ERROR
                  || e.reason() == FallbackReason.METADATA_PLANE_UNAUTHENTIC);
      return GrantOutcome.refused(nonsense ? channel.failed(e) : e);
    }
  }

  private FileMap hold(
      GrantTarget target, GrantExchange.Answer answer, long sent, Patience patience)
      throws FallbackException {
    long termNanos = termNanos(answer.leaseMillis());
    Lease lease =
        new Lease(
            answer.map().getLeaseId(), sent, sent + termNanos - settings.leaseMargin().toNanos());
    FileMap map = decoder.decode(target.block(), answer, lease);
    if (!lease.isValid(clock.nanos())) {
      traffic.giveBack(List.of(map)); // or its pin would stay for a whole term
      throw ranOut(answer.leaseMillis(), patience);
    }
    switch (leases.add(map)) {
      case ADDED:
        requirePresent(map);
        counters.mapLoads.increment();
        lookBy(sent + pause(termNanos));
        return map;
      case RECALLED:
        lease.end();
        counters.recalls.increment();
        traffic.giveBack(List.of(map));
        throw new FallbackException(
            FallbackReason.RECALL_PENDING,
            target.block() + " on " + channel.endpoint() + " was recalled while it was granted");
      case DUPLICATE:
      default:
        throw PlaneErrors.garbage(
            channel.endpoint(), "lease " + lease.id() + " was granted before");
    }
  }

  private FallbackException ranOut(long leaseMillis, Patience patience) {
    return patience.clientStoodStill()
        ? new FallbackException(
            FallbackReason.LEASE_EXPIRED,
            "this client stood still while " + channel.endpoint() + " granted the lease")
        : PlaneErrors.garbage(
            channel.endpoint(),
            "a lease of "
                + leaseMillis
                + " ms does not outlast the answer and dfs.client.rdio.lease.margin");
  }

  /**
   * Lets a lease go, which is held already, unless it is of the present incarnation. Whoever
   * observes another one does so before he looks for leases to let go: one of both finds it.
   */
  private void requirePresent(FileMap map) throws FallbackException {
    if (!incarnations.isPresent(map.origin().incarnation())) {
      leases.remove(map);
      map.lease().end();
      throw new FallbackException(
          FallbackReason.SESSION_UNKNOWN,
          channel.endpoint() + " was restarted while it granted " + map.block());
    }
  }

  private void lookBy(long look) {
    if (look - nextLookNanos < 0) {
      nextLookNanos = look;
    }
  }

  static long termNanos(long leaseMillis) {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(0, Math.min(leaseMillis, MAX_TERM_MILLIS)));
  }

  /**
   * Notes who answered: leases of an earlier incarnation can be neither renewed nor recalled.
   *
   * @param asked when he was asked, or earlier
   * @return false if it was an earlier one himself
   */
  boolean observe(long incarnation, long asked) {
    Incarnations.Finding finding = incarnations.answered(incarnation, asked);
    if (finding == Incarnations.Finding.NEW) {
      for (FileMap map : leases.all()) {
        if (map.origin().incarnation() != incarnation) {
          lose(map); // an id of another incarnation means nothing to this one
        }
      }
    }
    return finding != Incarnations.Finding.LATE;
  }

  private void replaced() {
    leases.forgetRecalls();
    channel.forgetVersion();
  }

  /**
   * Nobody new reads by a recalled map. Who is in the middle of reading may finish, for as long as
   * the lease lasts without renewal: a DataNode too keeps sending a block that was deleted.
   */
  private void recalled(List<Long> ids) {
    List<FileMap> ended = new ArrayList<>(ids.size());
    long now = clock.nanos();
    for (Long id : ids) {
      FileMap map = leases.recall(id);
      if (map != null) {
        map.lease().recall(); // first: whoever caches the map looks at this afterwards
        listener.lost(map);
        counters.recalls.increment();
        if (inUse(map.lease(), now)) {
          released.add(map);
        } else {
          map.lease().end();
          ended.add(map);
        }
      }
    }
    traffic.giveBack(ended);
  }

  private static boolean inUse(Lease lease, long now) {
    return lease.isValid(now) && now - lease.lastUsedNanos() < IN_USE_NANOS;
  }

  /** Takes a lease out that the DataNode does not honour any more; true for one caller. */
  private boolean lose(FileMap map) {
    boolean first = leases.remove(map);
    if (first) {
      map.lease().end();
      listener.lost(map);
    }
    return first;
  }

  /**
   * What became of a renewal: 0 milliseconds for a lease that the DataNode does not know or that it
   * wants back. The next {@link #tend} returns it.
   */
  void renewed(FileMap map, long leaseMillis, long sent) {
    if (leaseMillis <= 0) {
      if (lose(map)) {
        released.add(map);
      }
    } else {
      long deadline = sent + termNanos(leaseMillis) - settings.leaseMargin().toNanos();
      map.lease().renew(sent, deadline, clock.nanos());
    }
  }

  /** Ends a map's lease at once and has it returned by the next {@link #tend}. */
  boolean discard(FileMap map) {
    map.lease().end(); // a recalled one too, which somebody may still read by
    if (!leases.remove(map)) {
      return false;
    }
    released.add(map);
    return true;
  }

  /** Has a map's lease returned once no reader uses it any more. */
  void release(FileMap map) {
    if (leases.holds(map)) {
      released.add(map);
    }
  }

  /**
   * Returns and renews leases and keeps the recall stream as it should be; does not wait.
   *
   * @return nanoseconds until it should be called again; Long.MAX_VALUE if nothing is held
   */
  long tend() {
    long now = clock.nanos();
    if (nextLookNanos - now <= 0 && !leases.isEmpty()) {
      look(now);
    }
    returnReleased(false);
    if (leases.isEmpty()) {
      recalls.close();
      return released.isEmpty() ? Long.MAX_VALUE : RETURN_PAUSE_NANOS;
    }
    recalls.ensureOpen();
    long pause = nextLookNanos - now;
    return released.isEmpty() ? pause : Math.min(pause, RETURN_PAUSE_NANOS);
  }

  private void look(long now) {
    long shortest = MAX_TERM_NANOS;
    for (FileMap map : leases.all()) {
      if (map.lease().isValid(now)) {
        shortest = Math.min(shortest, map.lease().spanNanos());
      } else {
        listener.ranOut(map);
        released.add(map);
      }
    }
    traffic.renew(leases.all());
    nextLookNanos = now + pause(shortest);
  }

  /** How long leases of this term need not be looked at. */
  static long pause(long termNanos) {
    return Math.max(termNanos / LOOKS_PER_TERM, MIN_PAUSE_NANOS);
  }

  private void returnReleased(boolean all) {
    long now = clock.nanos();
    Set<FileMap> ended = new LinkedHashSet<>();
    List<FileMap> inUse = new ArrayList<>();
    FileMap map = released.poll();
    while (map != null) {
      if (inUse(map.lease(), now) && !all) {
        inUse.add(map);
      } else {
        leases.remove(map);
        map.lease().end();
        ended.add(map);
      }
      map = released.poll();
    }
    released.addAll(inUse);
    traffic.giveBack(List.copyOf(ended));
  }

  /** Ends all leases and sends their returns; the channel shuts down once they are through. */
  void close() {
    recalls.close();
    leases.all().forEach(released::add);
    returnReleased(true);
    channel.shutdown();
    if (!traffic.returnsUnderWay()) {
      channel.shutdownNow();
    }
  }
}
