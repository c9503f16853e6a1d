// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.TokenParts;
import io.rdio.core.wire.proto.GrantReply;
import java.util.List;

/**
 * Asks one DataNode for file maps, with proofs where there are tokens, and once more if it was
 * replaced meanwhile. Thread-safe.
 */
final class GrantCalls {
  private final DataNodeChannel channel;
  private final MetadataClientSettings settings;
  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final ClientSessions sessions;
  private final Observer observer;

  /** Told who answered. */
  interface Observer {
    /** False if that was an incarnation of the DataNode that is gone. */
    boolean observe(long incarnation, long askedNanos);
  }

  /**
   * An answer for each block, not looked at yet.
   *
   * @param sent before the request was
   */
  record Answered(GrantExchange exchange, GrantReply reply, long sent) {
    long incarnation() {
      SessionProof session = exchange.session();
      return session == null ? reply.getIncarnation() : session.incarnation();
    }
  }

  GrantCalls(
      DataNodeChannel channel, GrantContext context, ClientSessions sessions, Observer observer) {
    this.channel = channel;
    this.settings = context.settings();
    this.clock = context.clock();
    this.counters = context.counters();
    this.sessions = sessions;
    this.observer = observer;
  }

  Answered ask(List<BlockAsk> targets, Patience patience) throws FallbackException {
    Answered first = askOnce(targets, patience);
    if (!outlived(first)
        && hasOneFor(targets, first)
        && observer.observe(first.incarnation(), first.sent())) {
      return first;
    }
    Answered second = askOnce(targets, patience);
    hasOneFor(targets, second);
    observer.observe(second.incarnation(), second.sent());
    return second;
  }

  private Answered askOnce(List<BlockAsk> targets, Patience patience) throws FallbackException {
    GrantExchange exchange = exchange(targets, patience);
    long sent = clock.nanos();
    GrantReply reply = channel.grant(exchange.request(), patience);
    counters.grantLatency.record(clock.nanos() - sent);
    return new Answered(exchange, reply, sent);
  }

  private boolean hasOneFor(List<BlockAsk> targets, Answered answered) throws FallbackException {
    int count = answered.reply().getBlocksCount();
    if (count != targets.size()) {
      throw channel.failed(
          PlaneErrors.garbage(
              channel.endpoint(), count + " grants for " + targets.size() + " blocks"));
    }
    return true;
  }

  /** With proofs where there are tokens: then nothing less is sent, nor believed. */
  private GrantExchange exchange(List<BlockAsk> targets, Patience patience)
      throws FallbackException {
    int version = channel.prepare(patience);
    BlockAsk first = targets.get(0);
    String clientId = settings.clientId();
    boolean old = settings.versions().max() < ProtocolVersion.PROOFS;
    if (old || targets.stream().allMatch(target -> target.token().length == 0)) {
      return GrantExchange.plain(channel.endpoint(), clientId, version, targets);
    }
    if (version < ProtocolVersion.PROOFS) {
      throw channel.failed(
          new FallbackException(
              FallbackReason.PROTOCOL_MISMATCH,
              channel.endpoint()
                  + " speaks version "
                  + version
                  + ", in which it would be sent this client's block tokens without having proved"
                  + " that it is the DataNode; version "
                  + ProtocolVersion.PROOFS
                  + " is needed"));
    }
    long asked = clock.nanos();
    SessionProof session = sessions.forGrant(first, TokenParts.of(first.token()), patience);
    // Proved: leases of another one end before anything is asked.
    observer.observe(session.incarnation(), asked);
    return GrantExchange.proven(channel.endpoint(), clientId, version, session, targets);
  }

  /** Whether the DataNode was replaced since it was greeted, and is to be asked anew. */
  private boolean outlived(Answered answered) {
    if (refusesAll(answered.reply(), FallbackReason.PROTOCOL_MISMATCH)) {
      // By a release that speaks other versions.
      channel.forgetVersion();
      return true;
    }
    SessionProof session = answered.exchange().session();
    if (session != null && refusesAll(answered.reply(), FallbackReason.SESSION_UNKNOWN)) {
      channel.forgetVersion();
      sessions.lost(session);
      return true;
    }
    return false;
  }

  private static boolean refusesAll(GrantReply reply, FallbackReason reason) {
    return reply.getBlocksCount() > 0
        && reply.getBlocksList().stream()
            .allMatch(grant -> reason.name().equals(grant.getRefusal().getReason()));
  }
}
