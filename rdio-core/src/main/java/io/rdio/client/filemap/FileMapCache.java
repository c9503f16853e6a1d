// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.time.Keeper;
import io.rdio.core.time.LeaseKeeper;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The FileMap cache: maps of all DataNodes, each as long as its guard admits readers. Where maps
 * are from and what keeps them true is the affair of its {@link MapPlane}. Thread-safe.
 *
 * <p>Its key is pool, block and generation stamp, without DataNode and storage: HDFS does not tell
 * a replica accessor which DataNode it chose, and any replica of this generation has the same
 * bytes. DataNode and storage are in the map itself; which replica is used is settled by the load,
 * and by {@link #reject} if that one turns out bad. Who reads by several of them asks for the
 * {@link #others}, if {@link FileMapSettings#replicas} says that they are kept.
 *
 * <p>A map that a reader was granted serves all readers of this JVM, also those that run as another
 * user: they got the block's id and generation stamp from the NameNode, which checked their right
 * to the file, and within one JVM nothing could keep them apart anyway.
 */
public final class FileMapCache implements FileMapSource, AutoCloseable {
  private static final int MAX_TRIES = 3;

  // Maps leave the cache in bursts; one return for many.
  private static final long RETURN_DELAY_NANOS = Duration.ofMillis(100).toNanos();

  private static final int LOOKS_PER_MAP = 6;

  private static final Logger LOG = LoggerFactory.getLogger(FileMapCache.class);

  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final Consumer<FileMap> withdrawn;
  private final Duration waitLimit;
  private final BlockLocator locator;
  private final CachedMaps cached;
  private final MapPlane plane;
  private final PendingLoads pending = new PendingLoads();
  private final FileMapLoader loader;
  private final MoreReplicas more;
  private final Keeper keeper;
  private final Executor background;
  private volatile boolean lastLoadGranted = true;

  /**
   * What the cache works with.
   *
   * @param clock that guards run on
   * @param withdrawn told of each map that was recalled or lost, before its holder hears of it, and
   *     of each that was rejected; not of those that ran out or were evicted. Called by any thread;
   *     must not block
   * @param background runs loads that their callers do not wait for, as the caller's user; rejects
   *     what it cannot begin at once
   */
  public record Surroundings(
      MonotonicClock clock,
      ClientCounters counters,
      Consumer<FileMap> withdrawn,
      Executor background) {}

  /**
   * @param plane where maps are from; this cache's alone, closed together with it
   */
  public FileMapCache(
      FileMapSettings settings, BlockLocator locator, MapPlane plane, Surroundings surroundings) {
    this(settings, locator, plane, surroundings, LeaseKeeper::new);
  }

  /** The same, where something else than a thread has the plane tended. */
  public FileMapCache(
      FileMapSettings settings,
      BlockLocator locator,
      MapPlane plane,
      Surroundings surroundings,
      Keeper.Maker keepers) {
    this.clock = surroundings.clock();
    this.counters = surroundings.counters();
    this.withdrawn = surroundings.withdrawn();
    this.background = surroundings.background();
    this.locator = locator;
    this.waitLimit = settings.rpcTimeout().multipliedBy(2);
    this.plane = plane;
    this.cached = new CachedMaps(settings.cacheBytes(), settings.replicas(), this::removed);
    this.loader = new FileMapLoader(locator, plane, settings, clock, new Loaded());
    this.more = new MoreReplicas(cached, loader, background, settings, clock);
    this.keeper = keepers.make("rdio-lease-keeper", this::tend, counters.keeperFailures);
    plane.listen(new CacheLosses(cached, withdrawn));
  }

  /** Begins to have the metadata plane tended. */
  public void start() {
    keeper.start();
  }

  @Override
  public void requested(BlockKey block) {
    MapRequests.asked(block);
  }

  @Override
  public FileMap get(BlockRequest request) throws FallbackException {
    FileMap map = cached(request.block());
    if (map != null) {
      counters.mapHits.increment();
      return map;
    }
    counters.mapMisses.increment();
    for (int i = 0; i < MAX_TRIES; i++) {
      map = load(request);
      if (map != null) {
        return map;
      }
    }
    throw new FallbackException(
        FallbackReason.LEASE_EXPIRED,
        "the map of " + request.block() + " was lost " + MAX_TRIES + " times while it was loaded");
  }

  @Override
  public Load begin(BlockRequest request) {
    if (!lastLoadGranted || holds(request.block())) {
      return Load.DONE;
    }
    PendingLoads.Load mine = pending.begin(request.block());
    if (mine == null) {
      PendingLoads.Load others = pending.find(request.block());
      return others == null ? Load.DONE : others;
    }
    try {
      background.execute(() -> loadBehind(request, mine));
      counters.mapMisses.increment();
      return mine;
    } catch (RejectedExecutionException e) {
      mine.abandon();
      return Load.DONE;
    } catch (RuntimeException | Error e) {
      // No user to run as, no thread to be had: a load that stayed pending would keep every later
      // reader of the block waiting for it.
      mine.abandon();
      LOG.warn("RDIO: the map of {} cannot be loaded in the background", request.block(), e);
      return Load.DONE;
    }
  }

  private void loadBehind(BlockRequest request, PendingLoads.Load mine) {
    try {
      load(request, mine);
    } catch (FallbackException e) {
      LOG.debug("RDIO: no map of {} yet; its reader asks again", request.block(), e);
    } catch (RuntimeException | Error e) {
      LOG.warn("RDIO: the map of {} was not loaded; its reader asks again", request.block(), e);
    }
  }

  @Override
  public boolean holds(BlockKey block) {
    return peek(block) != null;
  }

  @Override
  public boolean hasSilentDataNodes() {
    return plane.hasSilentDataNodes();
  }

  /** Any of its DataNodes: nobody knows which of them HDFS will choose. */
  @Override
  public boolean mayBeSilent(BlockRequest request) {
    List<ReplicaLocation> replicas;
    try {
      replicas = locator.locate(request).get(0).replicas();
    } catch (FallbackException e) {
      return false; // so there is no map either
    }
    if (replicas.isEmpty()) {
      return plane.findsUnlisted() && plane.mayBeSilent(DataNodeId.NOBODY);
    }
    return replicas.stream().map(ReplicaLocation::dataNode).anyMatch(plane::mayBeSilent);
  }

  @Override
  public @Nullable FileMap following(BlockRequest request) {
    BlockLocation next = locator.following(request.block());
    if (next == null) {
      return null;
    }
    FileMap map = peek(next.block());
    BlockRequest behind = new BlockRequest(next.tokened(), request.fileName());
    if (map == null) {
      begin(behind);
    } else if (cached.places() > 1) {
      more.begin(behind); // so that its reader has them from the start
    }
    return map;
  }

  /** A map of the block that is here and admits readers; asks nobody, and is no use of it. */
  public @Nullable FileMap peek(BlockKey block) {
    for (int place = 0; place < cached.places(); place++) {
      FileMap map = cached.peek(block, place);
      if (map != null && map.guard().admits(clock.nanos())) {
        return map;
      }
    }
    return null;
  }

  private @Nullable FileMap cached(BlockKey block) {
    for (int place = 0; place < cached.places(); place++) {
      FileMap map = cached.find(block, place);
      if (map != null && used(map)) {
        return map;
      }
    }
    return null;
  }

  @Override
  public int replicas() {
    return cached.places();
  }

  @Override
  public int others(BlockRequest request, FileMap than, @Nullable FileMap[] to) {
    int count = 0;
    for (int place = 0; place < cached.places() && count < to.length; place++) {
      FileMap map = cached.find(request.block(), place);
      if (map != null && !map.storageId().equals(than.storageId()) && used(map)) {
        to[count++] = map;
      }
    }
    if (count + 1 < cached.places()) {
      more.begin(request);
    }
    return count;
  }

  private boolean used(FileMap map) {
    long now = clock.nanos();
    Guard guard = map.guard();
    if (!guard.admits(now)) {
      return false;
    }
    guard.touch(now);
    return true;
  }

  /** The map, loaded by this thread or another; null if it must be asked for again. */
  private @Nullable FileMap load(BlockRequest request) throws FallbackException {
    PendingLoads.Load mine = pending.begin(request.block());
    FileMap map;
    if (mine != null) {
      map = load(request, mine);
    } else {
      PendingLoads.Load others = pending.find(request.block());
      map = others == null ? cached(request.block()) : awaitOthers(others);
    }
    return map != null && used(map) ? map : null;
  }

  /** What another thread loads; null where that is for this one to find out by its own request. */
  private @Nullable FileMap awaitOthers(PendingLoads.Load others) throws FallbackException {
    try {
      return others.await(waitLimit);
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.LOCATION_UNKNOWN) {
        return null; // the other one may have asked by the name of a file that has no such block
      }
      throw e;
    }
  }

  private FileMap load(BlockRequest request, PendingLoads.Load mine) throws FallbackException {
    try {
      FileMap map = cached(request.block()); // a load that ended just before this one began
      if (map == null) {
        map = loader.load(request);
        lastLoadGranted = true;
      }
      mine.granted(map);
      return map;
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.INTERRUPTED) {
        if (e.reason() != FallbackReason.LOCATION_UNKNOWN) { // which is of one name only
          lastLoadGranted = false;
        }
        mine.refused(e);
      }
      throw e;
    } finally {
      mine.abandon(); // no effect where there is an outcome
    }
  }

  @Override
  public void reject(FileMap map, FallbackReason reason) {
    boolean first = plane.discard(map);
    cached.remove(map);
    withdrawn.accept(map);
    if (first) {
      // Whoever comes second read by the same map: that is no second finding.
      loader.rejected(map, reason);
      more.askAnew(map.block());
    }
    keeper.within(RETURN_DELAY_NANOS);
  }

  @Override
  public void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length) {
    cached.keepCrcs(map, page, pages, from, at, length);
  }

  private void removed(FileMap map) {
    plane.release(map);
    keeper.within(RETURN_DELAY_NANOS);
  }

  /** Extends, returns and clears away what is due; nanoseconds until it should be called again. */
  long tend() {
    cached.cleanUp();
    return plane.tend();
  }

  /** Maps in memory. */
  public long size() {
    return cached.size();
  }

  /** Heap that the maps in memory and what is kept with them take, about, in bytes. */
  public long weightedBytes() {
    return cached.bytes();
  }

  /** Heap that the CRCs kept with maps take, about, in bytes; part of the weight. */
  public long crcBytes() {
    return cached.crcBytes();
  }

  /** Leases held now: maps that the metadata plane has to look after. */
  public int leasesHeld() {
    return plane.held();
  }

  /** Ends and returns all leases, within about one second. */
  @Override
  public void close() {
    keeper.close();
    plane.close();
    cached.clear();
  }

  private final class Loaded implements FileMapLoader.Target {
    @Override
    public boolean holds(BlockKey block) {
      return FileMapCache.this.holds(block);
    }

    @Override
    public PendingLoads.@Nullable Load begin(BlockKey block) {
      return pending.begin(block);
    }

    @Override
    public void add(FileMap map) {
      cached.add(map);
      long now = clock.nanos();
      if (!map.guard().admits(now)) {
        // Recalled while it was put, when there was nothing to remove yet.
        cached.remove(map);
        return;
      }
      long remaining = map.guard().remainingNanos(now);
      // What never runs out by itself may have to be looked at all the same: its plane knows when.
      keeper.within(remaining == Long.MAX_VALUE ? RETURN_DELAY_NANOS : remaining / LOOKS_PER_MAP);
    }
  }
}
