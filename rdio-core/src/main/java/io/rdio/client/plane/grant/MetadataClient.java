// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.PlaneProbe;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.proto.ListLeasesReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * A client's side of the metadata plane: grants of any DataNode, and the upkeep of the leases that
 * came with them. Thread-safe. Nothing happens by itself: somebody must call {@link #tend}.
 */
public final class MetadataClient implements PlaneProbe {
  private final GrantContext context;
  private final ChannelFactory channels;
  private final MapListener listener;
  private final ConcurrentHashMap<String, DataNodeSession> sessions = new ConcurrentHashMap<>();
  private final BusyBlocks busy;
  private volatile boolean closed;

  /**
   * @param channels closed together with this client
   * @param listener told of each lease that is lost by recall or by a DataNode's restart
   */
  public MetadataClient(
      MetadataClientSettings settings,
      ChannelFactory channels,
      MonotonicClock clock,
      ClientCounters counters,
      MapListener listener) {
    this(
        settings,
        channels,
        clock,
        counters,
        listener,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * @param random numbers from 0 to 1, for any thread
   */
  MetadataClient(
      MetadataClientSettings settings,
      ChannelFactory channels,
      MonotonicClock clock,
      ClientCounters counters,
      MapListener listener,
      DoubleSupplier random) {
    this.context = new GrantContext(settings, clock, counters, random);
    this.channels = channels;
    this.listener = listener;
    this.busy = new BusyBlocks(settings.backOff(), clock, random);
  }

  /**
   * Asks a DataNode for the maps of some blocks; waits at most about the RPC timeout in all, and as
   * long again if this client did not run meanwhile.
   *
   * @param endpoint host:port of the plugin
   * @param targets first the block that is wanted, then those that are asked for along with it
   * @return one outcome for each block, in their order
   * @throws FallbackException METADATA_PLANE_UNREACHABLE, METADATA_PLANE_BACKOFF, DATANODE_BUSY,
   *     METADATA_PLANE_ERROR, PROTOCOL_MISMATCH or INTERRUPTED when there is no answer at all
   */
  public List<MapOutcome> grant(String endpoint, List<BlockAsk> targets) throws FallbackException {
    DataNodeSession session = session(endpoint);
    BlockKey wanted = targets.get(0).block();
    busy.check(endpoint, wanted);
    try {
      List<MapOutcome> outcomes = session.grant(targets);
      busy.answered(endpoint, wanted);
      return outcomes;
    } catch (FallbackException e) {
      busy.refused(endpoint, wanted, e);
      throw e;
    }
  }

  /**
   * Asks a DataNode whether it is there, unless it answered a moment ago; waits at most the RPC
   * timeout. Of those who want to know at the same time one asks.
   *
   * @throws FallbackException why there is no answer; METADATA_PLANE_BACKOFF while the DataNode is
   *     left alone after a failure
   */
  void requireAnswering(String endpoint) throws FallbackException {
    DataNodeChannel channel = session(endpoint).channel();
    channel.requireAnswering(channel.patience());
  }

  @Override
  public PlaneGreeting hello(String endpoint) throws FallbackException {
    return PlaneReports.greeting(session(endpoint).channel().hello());
  }

  @Override
  public List<GrantedLease> listLeases(String endpoint) throws FallbackException {
    DataNodeChannel channel = session(endpoint).channel();
    List<GrantedLease> all = new ArrayList<>();
    long after = 0;
    do {
      ListLeasesReply page = channel.listLeases(after);
      page.getLeasesList().forEach(lease -> all.add(PlaneReports.lease(lease)));
      after = page.getNext();
    } while (after != 0);
    return all;
  }

  /**
   * Ends a map's lease at once; it is returned soon after.
   *
   * @return false if the lease was gone already, by recall, say
   */
  public boolean discard(FileMap map) {
    DataNodeSession session = sessions.get(GrantOrigin.of(map).endpoint());
    return session != null && session.discard(map);
  }

  /** Has a map's lease ended and returned once no reader has used it for a moment. */
  public void release(FileMap map) {
    DataNodeSession session = sessions.get(GrantOrigin.of(map).endpoint());
    if (session != null) {
      session.release(map);
    }
  }

  /** Leases held now, of all DataNodes. */
  public int leasesHeld() {
    int held = 0;
    for (DataNodeSession session : sessions.values()) {
      held += session.leasesHeld();
    }
    return held;
  }

  /**
   * Renews leases in use, returns released ones and keeps recall streams open. Does not wait for
   * answers.
   *
   * @return nanoseconds until it should be called again; Long.MAX_VALUE if nothing is held
   */
  public long tend() {
    long pause = Long.MAX_VALUE;
    Throwable failure = null;
    for (DataNodeSession session : sessions.values()) {
      try {
        pause = Math.min(pause, session.tend());
      } catch (RuntimeException | Error e) {
        failure = e; // which is no reason to let the leases of other DataNodes run out
      }
    }
    if (failure != null) {
      throw new IllegalStateException("leases of a DataNode were not looked after", failure);
    }
    return pause;
  }

  GrantContext context() {
    return context;
  }

  DataNodeSession session(String endpoint) throws FallbackException {
    DataNodeSession session = sessions.get(endpoint);
    if (session == null) {
      try {
        session = sessions.computeIfAbsent(endpoint, this::open);
      } catch (IllegalArgumentException e) {
        throw new FallbackException(
            FallbackReason.METADATA_PLANE_UNREACHABLE,
            "'" + endpoint + "' is no host and port: " + e.getMessage(),
            e);
      }
    }
    if (closed) {
      session.close();
      throw PlaneErrors.closed(endpoint);
    }
    return session;
  }

  private DataNodeSession open(String endpoint) {
    DataNodeChannel channel = new DataNodeChannel(new PlaneConnection(endpoint, channels), context);
    return new DataNodeSession(channel, context, listener);
  }

  /** Ends all leases, returns them and closes all channels, within one second. */
  @Override
  public void close() {
    close(Duration.ofSeconds(1));
  }

  void close(Duration limit) {
    closed = true;
    for (DataNodeSession session : sessions.values()) {
      session.close();
    }
    long end = System.nanoTime() + limit.toNanos();
    try {
      for (DataNodeSession session : sessions.values()) {
        if (!session.channel().awaitTermination(Math.max(0, end - System.nanoTime()))) {
          break; // the time is up for the others too
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (DataNodeSession session : sessions.values()) {
      session.channel().shutdownNow();
    }
    channels.close();
  }
}
