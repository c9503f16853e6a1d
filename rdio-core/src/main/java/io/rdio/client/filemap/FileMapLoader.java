// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOutcome;
import io.rdio.client.plane.grant.GrantTarget;
import io.rdio.client.plane.grant.MetadataClient;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gets the map of a block from the first of its DataNodes that grants it, and in the same request
 * the maps of the following blocks that lie there too. Thread-safe.
 */
final class FileMapLoader {
  private final BlockLocator locator;
  private final EndpointResolver endpoints;
  private final MetadataClient client;
  private final FileMapSettings settings;
  private final MonotonicClock clock;
  private final Rejections rejections;
  private final PendingLoads pending;
  private final Target target;

  /** Where loaded maps go. */
  interface Target {
    boolean holds(BlockKey block);

    void add(FileMap map);
  }

  FileMapLoader(
      BlockLocator locator,
      EndpointResolver endpoints,
      MetadataClient client,
      FileMapSettings settings,
      MonotonicClock clock,
      Rejections rejections,
      PendingLoads pending,
      Target target) {
    this.locator = locator;
    this.endpoints = endpoints;
    this.client = client;
    this.settings = settings;
    this.clock = clock;
    this.rejections = rejections;
    this.pending = pending;
    this.target = target;
  }

  /**
   * Loads the map of a block that the caller has taken upon itself in {@link PendingLoads}. Waits
   * at most one and a half RPC timeouts for DataNodes.
   */
  FileMap load(BlockRequest request) throws FallbackException {
    // Outside: what is only remembered must not be remembered anew, or it would never be over.
    rejections.check(request.block());
    try {
      return loadAny(request);
    } catch (FallbackException e) {
      rejections.refusal(request.block(), e);
      throw e;
    }
  }

  private FileMap loadAny(BlockRequest request) throws FallbackException {
    List<BlockLocation> located = locator.locate(request);
    Rejections.Refusals refusals = new Rejections.Refusals();
    long began = clock.nanos();
    long patience = settings.rpcTimeout().toNanos() / 2;
    for (BlockLocation.Replica replica : rejections.worthAsking(located.get(0), refusals)) {
      if (clock.nanos() - began > patience) {
        break; // its reader has waited enough; the next read asks the replicas that are left
      }
      try {
        return ask(replica, request, located);
      } catch (FallbackException e) {
        if (e.reason() == FallbackReason.INTERRUPTED) {
          throw e;
        }
        if (e.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE) {
          endpoints.forget(replica.dataNode());
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

  private FileMap ask(
      BlockLocation.Replica replica, BlockRequest request, List<BlockLocation> located)
      throws FallbackException {
    String endpoint = endpoints.endpoint(replica.dataNode());
    List<GrantTarget> targets = new ArrayList<>();
    targets.add(new GrantTarget(request.block(), request.token()));
    List<PendingLoads.Load> following = new ArrayList<>();
    try {
      for (BlockLocation next : located.subList(1, located.size())) {
        if (following.size() == settings.prefetchBlocks()) {
          break;
        }
        PendingLoads.Load load = prefetch(next, replica.dataNode());
        if (load != null) {
          following.add(load);
          targets.add(new GrantTarget(next.block(), next.token(), true));
        }
      }
      List<GrantOutcome> outcomes = client.grant(endpoint, targets);
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

  private FileMap mine(GrantOutcome outcome) throws FallbackException {
    FileMap map = outcome.map();
    if (map == null) {
      throw Objects.requireNonNull(outcome.refusal());
    }
    target.add(map);
    return map;
  }

  private PendingLoads.@Nullable Load prefetch(BlockLocation location, DataNodeId dataNode) {
    for (BlockLocation.Replica replica : location.replicas()) {
      if (replica.dataNode().equals(dataNode)) {
        boolean wanted =
            !target.holds(location.block()) && rejections.allowsPrefetch(location.block());
        return wanted ? pending.begin(location.block()) : null;
      }
    }
    return null;
  }
}
