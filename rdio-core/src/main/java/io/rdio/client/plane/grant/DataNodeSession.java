// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.BlockAsk;
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

  private static final long RETURN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A map that left the cache goes on serving the reader that used it this short a time ago. */
  private static final long IN_USE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final DataNodeChannel channel;
  private final MetadataClientSettings settings;
  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final LeaseTerms terms;
  private final MapListener listener;
  private final HeldLeases leases = new HeldLeases();
  private final GrantDecoder decoder;
  private final ClientSessions sessions;
  private final LeaseTraffic traffic;
  private final RecallStream recalls;
  private final Queue<FileMap> released = new ConcurrentLinkedQueue<>();
  private final Incarnations incarnations;
  private final GrantCalls calls;
  private volatile long nextLookNanos;

  /** How much before that it may be. */
  private volatile long earlyNanos;

  DataNodeSession(DataNodeChannel channel, GrantContext context, MapListener listener) {
    this.channel = channel;
    this.settings = context.settings();
    this.clock = context.clock();
    this.counters = context.counters();
    this.terms = context.terms();
    this.listener = listener;
    this.decoder = new GrantDecoder(channel.endpoint(), terms, settings.nullChecksums());
    this.sessions = new ClientSessions(channel, settings.clientId());
    this.incarnations = new Incarnations(clock, this::replaced);
    this.calls = new GrantCalls(channel, context, sessions, this::observe);
    this.traffic = new LeaseTraffic(channel, context, this, sessions);
    this.nextLookNanos = clock.nanos();
    this.recalls =
        new RecallStream(channel, channel.newBackOff(), this::recallsRequest, this::recalled);
    channel.onUnreachable(recalls::close);
  }

  DataNodeChannel channel() {
    return channel;
  }

  ClientSessions sessions() {
    return sessions;
  }

  int leasesHeld() {
    return leases.size();
  }

  /**
   * Asks for the maps of some blocks; one outcome for each, in their order. Asks once more if this
   * client stood still over it: that is not the DataNode's fault.
   */
  List<MapOutcome> grant(List<BlockAsk> targets) throws FallbackException {
    Patience patience = channel.patience();
    try {
      List<MapOutcome> outcomes = grant(targets, patience);
      FallbackException refusal = outcomes.get(0).refusal();
      if (refusal == null || refusal.reason() != FallbackReason.LEASE_EXPIRED) {
        return outcomes;
      }
      outcomes.stream().map(MapOutcome::map).filter(Objects::nonNull).forEach(this::discard);
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.METADATA_PLANE_UNREACHABLE || !patience.clientStoodStill()) {
        throw e;
      }
    }
    return grant(targets, patience.anew());
  }

  private List<MapOutcome> grant(List<BlockAsk> targets, Patience patience)
      throws FallbackException {
    GrantCalls.Answered answered = calls.ask(targets, patience);
    List<MapOutcome> outcomes = new ArrayList<>(targets.size());
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

  private MapOutcome accept(
      BlockAsk target, GrantCalls.Answered answered, int i, Patience patience) {
    GrantReply reply = answered.reply();
    try {
      GrantExchange.Answer answer = answered.exchange().answer(i, reply);
      return MapOutcome.granted(hold(target, answer, answered.sent(), patience));
    } catch (FallbackException e) {
      // A DataNode that answers nonsense once would do so for each block of each reader; one that
      // refuses is in order, whatever with.
      return MapOutcome.refused(reply.getBlocks(i).hasRefusal() ? e : channel.failed(e));
    }
  }

  private FileMap hold(BlockAsk target, GrantExchange.Answer answer, long sent, Patience patience)
      throws FallbackException {
    FileMap map = decoder.decode(target.block(), answer, sent);
    Lease lease = Lease.of(map);
    if (!lease.isValid(clock.nanos())) {
      traffic.giveBack(List.of(map)); // or its pin would stay for a whole term
      throw ranOut(answer.leaseMillis(), patience);
    }
    switch (leases.add(map)) {
      case ADDED:
        requirePresent(map);
        counters.mapLoads.increment();
        lookWithin(LeaseTerms.pause(LeaseTerms.termNanos(answer.leaseMillis())), sent);
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
                + " ms does not outlast the answer and "
                + Setting.LEASE_MARGIN);
  }

  /**
   * Lets a lease go, which is held already, unless it is of the present incarnation. Whoever
   * observes another one does so before he looks for leases to let go: one of both finds it.
   */
  private void requirePresent(FileMap map) throws FallbackException {
    if (!incarnations.isPresent(GrantOrigin.of(map).incarnation())) {
      leases.remove(map);
      Lease.of(map).end();
      throw new FallbackException(
          FallbackReason.SESSION_UNKNOWN,
          channel.endpoint() + " was restarted while it granted " + map.block());
    }
  }

  private void lookWithin(long pause, long from) {
    if (from + pause - nextLookNanos < 0) {
      nextLookNanos = from + pause;
      earlyNanos = LeaseTerms.early(pause);
    }
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
        if (GrantOrigin.of(map).incarnation() != incarnation) {
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
   * No new read uses a recalled map. A read that is under way may finish, for as long as the lease
   * lasts without renewal: a DataNode too keeps sending a block that was deleted.
   */
  private void recalled(List<Long> ids) {
    List<FileMap> ended = new ArrayList<>(ids.size());
    long now = clock.nanos();
    for (Long id : ids) {
      FileMap map = leases.recall(id);
      if (map != null) {
        Lease.of(map).recall(); // first: whoever caches the map looks at this afterwards
        listener.lost(map);
        counters.recalls.increment();
        if (inUse(Lease.of(map), now)) {
          released.add(map);
        } else {
          Lease.of(map).end();
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
      Lease.of(map).end();
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
      Lease.of(map).renew(sent, terms.deadline(sent, leaseMillis), clock.nanos());
    }
  }

  /** Ends a map's lease at once and has it returned by the next {@link #tend}. */
  boolean discard(FileMap map) {
    Lease.of(map).end(); // a recalled one too, which somebody may still read by
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
    if (nextLookNanos - now <= earlyNanos && !leases.isEmpty()) {
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
    long shortest = LeaseTerms.MAX_TERM_NANOS;
    for (FileMap map : leases.all()) {
      if (Lease.of(map).isValid(now)) {
        shortest = Math.min(shortest, Lease.of(map).spanNanos());
      } else {
        listener.ranOut(map);
        released.add(map);
      }
    }
    traffic.renew(leases.all());
    long pause = LeaseTerms.pause(shortest);
    nextLookNanos = now + pause;
    earlyNanos = LeaseTerms.early(pause);
  }

  private void returnReleased(boolean all) {
    long now = clock.nanos();
    Set<FileMap> ended = new LinkedHashSet<>();
    List<FileMap> inUse = new ArrayList<>();
    FileMap map = released.poll();
    while (map != null) {
      if (inUse(Lease.of(map), now) && !all) {
        inUse.add(map);
      } else {
        leases.remove(map);
        Lease.of(map).end();
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
