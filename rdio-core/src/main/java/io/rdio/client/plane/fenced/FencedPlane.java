// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.client.plane.device.DeviceOrigin;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The plane of the device, and behind it that of fenced volumes: what the first one has not, and
 * may be on xfs, is looked for on xfs whose host was fenced off. Thread-safe.
 */
public final class FencedPlane implements MapPlane {
  /** What is held is looked at so often, used or not. */
  static final long TEND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MapPlane device;
  private final FencedVolumes volumes;
  private final MonotonicClock clock;
  private final DeviceCounters counters;
  private final Set<FileMap> held = ConcurrentHashMap.newKeySet();
  private volatile @Nullable MapListener listener;
  private volatile boolean closed;
  private volatile long tendedAt;

  /**
   * Both are closed together with this one.
   *
   * @param device refuses whom it must, blocks with tokens for one; what it refuses so this does
   */
  public FencedPlane(
      MapPlane device, FencedVolumes volumes, MonotonicClock clock, DeviceCounters counters) {
    this.device = device;
    this.volumes = volumes;
    this.clock = clock;
    this.counters = counters;
    this.tendedAt = clock.nanos();
  }

  @Override
  public void listen(MapListener told) {
    listener = told;
    device.listen(told);
  }

  @Override
  public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
    List<MapOutcome> outcomes = new ArrayList<>(asks.size());
    int i = 0;
    for (MapOutcome outcome : device.maps(holder, asks)) {
      BlockAsk ask = asks.get(i++);
      FallbackException refusal = outcome.refusal();
      outcomes.add(
          refusal == null || !mayBeOnXfs(holder, refusal.reason())
              ? outcome
              : fenced(holder, ask, refusal));
    }
    return outcomes;
  }

  private static boolean mayBeOnXfs(DataNodeId holder, FallbackReason reason) {
    return switch (reason) {
      case XFS_NEEDS_DATANODE -> true;
      // One that nobody holds may be on any volume.
      case INTERRUPTED, TOKEN_REFUSED -> false;
      default -> holder.equals(DataNodeId.NOBODY);
    };
  }

  private MapOutcome fenced(DataNodeId holder, BlockAsk ask, FallbackException refusal) {
    try {
      return MapOutcome.granted(map(holder, ask));
    } catch (FallbackException e) {
      boolean isOfDevice =
          e.reason() == FallbackReason.XFS_NEEDS_DATANODE
              || e.reason() == FallbackReason.REPLICA_NOT_FOUND;
      return MapOutcome.refused(
          isOfDevice
              ? new FallbackException(
                  refusal.reason(), refusal.detail() + "; on xfs: " + e.detail(), e)
              : e);
    }
  }

  private FileMap map(DataNodeId holder, BlockAsk ask) throws FallbackException {
    FileMap map = mapOfKnown(holder, ask);
    // One that comes along is not searched for: its reader would wait once more for each of them.
    if (map == null && !closed && !ask.speculative()) {
      FallbackException unfinished = null;
      try {
        volumes.searchAgain();
      } catch (FallbackException e) {
        unfinished = e;
      }
      map = mapOfKnown(holder, ask); // also of what an unfinished search has come to
      if (map == null && unfinished != null) {
        throw unfinished;
      }
    }
    if (map == null) {
      throw new FallbackException(FallbackReason.XFS_NEEDS_DATANODE, volumes.troubles());
    }
    return map;
  }

  /** Null where no volume that is known has it. */
  private @Nullable FileMap mapOfKnown(DataNodeId holder, BlockAsk ask) throws FallbackException {
    FallbackException missing = null;
    for (FencedVolumes.Storage storage : badLast(candidates(ask.storageId()), ask)) {
      try {
        FencedVolume.Replica replica = storage.volume().find(storage.found(), ask.block());
        // So that nobody is given what is known to be over.
        storage.volume().requireStanding();
        return held(holder, ask.block(), storage, replica);
      } catch (FallbackException e) {
        boolean isOver = storage.volume().isLost();
        boolean mayBeElsewhere =
            ask.storageId().isEmpty() && e.reason() == FallbackReason.REPLICA_NOT_FOUND;
        if (!isOver && !mayBeElsewhere) {
          throw e;
        }
        missing = isOver ? missing : e;
      }
    }
    if (missing != null) {
      throw missing;
    }
    return null;
  }

  /** Those of an id; for no id all but those whose id is there twice: one may be an older copy. */
  private List<FencedVolumes.Storage> candidates(String storageId) throws FallbackException {
    List<FencedVolumes.Storage> known = volumes.known();
    if (storageId.isEmpty()) {
      return known.stream()
          .filter(each -> of(known, each.found().storageId()).size() == 1)
          .toList();
    }
    List<FencedVolumes.Storage> all = of(known, storageId);
    if (all.size() > 1) {
      throw new FallbackException(
          FallbackReason.DEVICE_AMBIGUOUS,
          "storage "
              + storageId
              + " is on "
              + all.get(0).volume().identity()
              + " and on "
              + all.get(1).volume().identity());
    }
    return all;
  }

  private static List<FencedVolumes.Storage> badLast(
      List<FencedVolumes.Storage> some, BlockAsk ask) {
    return some.stream()
        .sorted(Comparator.comparing(each -> ask.badStorages().contains(each.found().storageId())))
        .toList();
  }

  private static List<FencedVolumes.Storage> of(
      List<FencedVolumes.Storage> known, String storageId) {
    return known.stream().filter(each -> each.found().storageId().equals(storageId)).toList();
  }

  private FileMap held(
      DataNodeId holder,
      BlockKey block,
      FencedVolumes.Storage storage,
      FencedVolume.Replica replica) {
    FileMap map =
        new FileMap(
            block,
            new DeviceOrigin(
                holder.toString(),
                storage.found().storageId(),
                storage.volume().identity(),
                replica.checksum()),
            replica.blockLength(),
            replica.blockExtents(),
            replica.metaExtents(),
            new FencedGuard(storage.volume()));
    held.add(map);
    counters.maps.increment();
    if (closed) {
      discard(map);
    }
    return map;
  }

  @Override
  public boolean mayBeSilent(DataNodeId holder) {
    return device.mayBeSilent(holder);
  }

  @Override
  public boolean findsUnlisted() {
    return device.findsUnlisted();
  }

  @Override
  public boolean discard(FileMap map) {
    if (map.guard() instanceof FencedGuard guard) {
      guard.fail();
      return held.remove(map);
    }
    return device.discard(map);
  }

  @Override
  public void release(FileMap map) {
    if (map.guard() instanceof FencedGuard) {
      discard(map);
    } else {
      device.release(map);
    }
  }

  @Override
  public int held() {
    return device.held() + held.size();
  }

  /**
   * {@inheritDoc} Has the volumes looked at that are copied, once a second, and maps dropped, and
   * copies, whose fence does not stand any more.
   */
  @Override
  public long tend() {
    long ofDevice = device.tend();
    if (volumes.volumes().isEmpty() && held.isEmpty()) {
      return ofDevice;
    }
    long left = tendedAt + TEND_NANOS - clock.nanos();
    if (left > 0) {
      return Math.min(ofDevice, left);
    }
    tendedAt = clock.nanos();
    volumes.look(this::loseLost);
    loseLost(); // whoever looked
    volumes.removeLost();
    return Math.min(ofDevice, TEND_NANOS);
  }

  private void loseLost() {
    for (FileMap map : held) {
      if (((FencedGuard) map.guard()).volume().isLost()) {
        lose(map);
      }
    }
  }

  private void lose(FileMap map) {
    MapListener told = listener;
    if (discard(map) && told != null) {
      told.lost(map);
    }
  }

  @Override
  public void close() {
    closed = true;
    held.forEach(this::discard);
    device.close();
    volumes.close();
  }
}
