// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Gets the map of a block from the metadata plane, of the first of its replicas that it has one
 * for, and along with it the maps of the following blocks that lie on the same DataNode.
 * Thread-safe.
 */
final class FileMapLoader {
  private final BlockLocator locator;
  private final MapPlane plane;
  private final FileMapSettings settings;
  private final MonotonicClock clock;
  private final Rejections rejections;
  private final Target target;

  /** Where loaded maps go. */
  interface Target {
    boolean holds(BlockKey block);

    /** Takes a load upon the caller, who must end it; null if somebody else did before. */
    PendingLoads.@Nullable Load begin(BlockKey block);

    void add(FileMap map);
  }

  FileMapLoader(
      BlockLocator locator,
      MapPlane plane,
      FileMapSettings settings,
      MonotonicClock clock,
      Target target) {
    this.locator = locator;
    this.plane = plane;
    this.settings = settings;
    this.clock = clock;
    this.rejections =
        new Rejections(settings, clock, () -> ThreadLocalRandom.current().nextDouble());
    this.target = target;
  }

  /**
   * Loads the map of a block that the caller has taken upon itself in {@link PendingLoads}. Waits
   * at most one and a half RPC timeouts for DataNodes.
   */
  FileMap load(BlockRequest request) throws FallbackException {
    // Outside: what is only remembered must not be remembered anew, or it would never be over.
    rejections.check(request.block());
    // So is what a locator did not find, which remembers that by itself: the file's name may have
    // been wrong, and with another one the block is there.
    List<BlockLocation> located = locator.locate(request);
    rejections.requireHope(located.get(0));
    try {
      return loadAny(request, located);
    } catch (FallbackException e) {
      rejections.refusal(request.block(), e);
      throw e;
    }
  }

  private FileMap loadAny(BlockRequest request, List<BlockLocation> located)
      throws FallbackException {
    Rejections.Refusals refusals = new Rejections.Refusals();
    long began = clock.nanos();
    long patience = settings.rpcTimeout().toNanos() / 2;
    for (ReplicaLocation replica : worthAsking(located.get(0), refusals)) {
      if (clock.nanos() - began > patience) {
        break; // its reader has waited enough; the next read asks the replicas that are left
      }
      try {
        return ask(replica, request, located);
      } catch (FallbackException e) {
        if (e.reason() == FallbackReason.INTERRUPTED) {
          throw e;
        }
        refusals.add(e);
      }
    }
    FallbackException worst = refusals.worst();
    if (worst == null) {
      worst =
          new FallbackException(
              FallbackReason.LOCATION_UNKNOWN,
              "the NameNode lists no DataNode for "
                  + request.block()
                  + " of "
                  + request.fileName());
    }
    if (worst.reason() == FallbackReason.REPLICA_NOT_FOUND
        || worst.reason() == FallbackReason.LOCATION_UNKNOWN) {
      locator.forget(request.block());
    }
    throw worst;
  }

  /**
   * Loads maps of more replicas of a block, for a caller that waits for none of them. What cannot
   * be had is left out.
   *
   * @param held storages of which there is a map
   * @param most how many to load
   */
  void loadMore(BlockRequest request, Set<String> held, int most) throws FallbackException {
    rejections.check(request.block());
    BlockLocation location = locator.locate(request).get(0);
    int loaded = 0;
    for (ReplicaLocation replica : rejections.worthAsking(location, new Rejections.Refusals())) {
      boolean wanted =
          !held.contains(replica.storageId()) && !rejections.isBad(request.block(), replica);
      if (wanted && loaded < most) {
        loaded += hasLoaded(replica, request, location) ? 1 : 0;
      }
    }
  }

  private boolean hasLoaded(ReplicaLocation replica, BlockRequest request, BlockLocation location)
      throws FallbackException {
    try {
      ask(replica, request, List.of(location));
      return true;
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.INTERRUPTED) {
        throw e;
      }
      return false;
    }
  }

  private List<ReplicaLocation> worthAsking(BlockLocation location, Rejections.Refusals skipped) {
    return isUnlisted(location)
        ? List.of(ReplicaLocation.UNLISTED)
        : rejections.worthAsking(location, skipped);
  }

  /** Whether the plane may find it although no DataNode is known to have it. */
  private boolean isUnlisted(BlockLocation location) {
    return location.replicas().isEmpty() && plane.findsUnlisted();
  }

  private FileMap ask(ReplicaLocation replica, BlockRequest request, List<BlockLocation> located)
      throws FallbackException {
    List<BlockAsk> asks = new ArrayList<>();
    BlockAsk wanted = new BlockAsk(request.tokened(), replica.storageId(), false);
    // A replica that is listed has its turn from here; the plane alone knows where others are.
    boolean searches = replica.dataNode().equals(DataNodeId.NOBODY);
    asks.add(searches ? wanted.after(rejections.badStorages(request.block())) : wanted);
    List<PendingLoads.Load> following = new ArrayList<>();
    try {
      for (BlockLocation next : located.subList(1, located.size())) {
        if (following.size() == settings.prefetchBlocks()) {
          break;
        }
        ReplicaLocation along = on(replica.dataNode(), next);
        PendingLoads.Load load = along == null ? null : prefetch(next.block());
        if (along != null && load != null) {
          following.add(load);
          asks.add(new BlockAsk(next.tokened(), along.storageId(), true));
        }
      }
      List<MapOutcome> outcomes = plane.maps(replica.dataNode(), asks);
      for (int i = 0; i < following.size(); i++) {
        FileMap map = outcomes.get(i + 1).map();
        if (map != null) {
          target.add(map);
          following.get(i).granted(map);
        }
      }
      return mine(outcomes.get(0));
    } finally {
      // A block that was to come along and did not is loaded by whoever needs it.
      for (PendingLoads.Load load : following) {
        load.abandon();
      }
    }
  }

  private FileMap mine(MapOutcome outcome) throws FallbackException {
    FileMap map = outcome.map();
    if (map == null) {
      throw Objects.requireNonNull(outcome.refusal());
    }
    target.add(map);
    return map;
  }

  private @Nullable ReplicaLocation on(DataNodeId dataNode, BlockLocation location) {
    if (dataNode.equals(DataNodeId.NOBODY)) {
      return isUnlisted(location) ? ReplicaLocation.UNLISTED : null;
    }
    for (ReplicaLocation replica : location.replicas()) {
      if (replica.dataNode().equals(dataNode)) {
        return replica;
      }
    }
    return null;
  }

  private PendingLoads.@Nullable Load prefetch(BlockKey block) {
    boolean wanted = !target.holds(block) && rejections.allowsPrefetch(block);
    return wanted ? target.begin(block) : null;
  }

  /** Draws the conclusions from a map that its reader could not use. */
  void rejected(FileMap map, FallbackReason reason) {
    rejections.rejected(map, reason);
  }
}
