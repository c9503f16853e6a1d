// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.thread.OneAtATime;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The metadata plane of the device: resolves replicas in the file system's own metadata, and gives
 * each map a guard that looks at its journal. Nothing has to be given back to anybody. Thread-safe.
 */
public final class DevicePlane implements MapPlane {
  /** What is held is looked at so often, used or not. */
  static final long TEND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final boolean tokensChecked;
  private final Executor background;
  private final MonotonicClock clock;
  private final StorageSearch storages;
  private final DeviceCounters counters;
  private final Set<FileMap> held = ConcurrentHashMap.newKeySet();

  /** Storages that could not tell whether they had a block, the last time that they were asked. */
  private final Set<String> mute = ConcurrentHashMap.newKeySet();

  private volatile @Nullable MapListener listener;
  private volatile boolean closed;
  private volatile long tendedAt;
  private final OneAtATime looking = new OneAtATime();

  /** As the other one, with a thread of its own for what nobody waits for. */
  public DevicePlane(
      HostVolumes volumes,
      StorageOwners owners,
      boolean tokensChecked,
      MonotonicClock clock,
      DeviceCounters counters) {
    this(volumes, owners, tokensChecked, DevicePlane::begin, clock, counters);
  }

  /**
   * A plane that nothing was asked of yet.
   *
   * @param volumes of this host
   * @param owners of the storages that may be read
   * @param tokensChecked whether whoever asks has checked the tokens of blocks before, or lets
   *     nobody have a block before it has checked one
   * @param background runs the looks that nobody waits for, one at a time; never refuses
   * @param counters of this plane
   */
  DevicePlane(
      LocalVolumes volumes,
      StorageOwners owners,
      boolean tokensChecked,
      Executor background,
      MonotonicClock clock,
      DeviceCounters counters) {
    this(
        new StorageSearch(volumes, owners, background, clock, counters),
        tokensChecked,
        background,
        clock,
        counters);
  }

  /**
   * As the other one.
   *
   * @param storages of this host
   */
  DevicePlane(
      StorageSearch storages,
      boolean tokensChecked,
      Executor background,
      MonotonicClock clock,
      DeviceCounters counters) {
    this.tokensChecked = tokensChecked;
    this.background = background;
    this.clock = clock;
    this.counters = counters;
    this.storages = storages;
    this.tendedAt = clock.nanos();
  }

  /** At most two at a time: a look at what is held, and a search. */
  private static void begin(Runnable work) {
    DaemonThreads.daemon("rdio-device-plane", work).start();
  }

  @Override
  public void listen(MapListener told) {
    listener = told;
  }

  /**
   * {@inheritDoc} Asks the device, not the holder, and waits for as long as the device takes to
   * answer. A block with a token is refused where nobody has checked it: nobody here can. One that
   * nobody holds, or that is not in the storage where it is listed, is looked for on all storages
   * of this host.
   */
  @Override
  public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
    List<MapOutcome> outcomes = new ArrayList<>(asks.size());
    for (BlockAsk ask : asks) {
      try {
        outcomes.add(MapOutcome.granted(map(holder, ask)));
      } catch (FallbackException e) {
        outcomes.add(MapOutcome.refused(e));
      }
    }
    return outcomes;
  }

  private FileMap map(DataNodeId holder, BlockAsk ask) throws FallbackException {
    if (closed) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "the device plane was closed");
    }
    if (!tokensChecked && ask.token().length > 0) {
      throw new FallbackException(
          FallbackReason.TOKEN_REFUSED,
          ask.block()
              + ": the cluster has block tokens, which only its DataNode or an agent can check");
    }
    if (holder.equals(DataNodeId.NOBODY)) {
      return mapSearching(holder, ask);
    }
    if (ask.storageId().isEmpty()) {
      throw new FallbackException(
          FallbackReason.LOCATION_UNKNOWN, "nobody knows which storage has " + ask.block());
    }
    return mapListed(holder, ask);
  }

  /** While a DataNode is dead, nobody tells the NameNode what goes from one storage to another. */
  private FileMap mapListed(DataNodeId holder, BlockAsk ask) throws FallbackException {
    LocatedStorage listed = storages.find(ask.storageId());
    try {
      return map(holder, ask, listed);
    } catch (FallbackException notThere) {
      if (notThere.reason() != FallbackReason.REPLICA_NOT_FOUND) {
        throw notThere;
      }
      try {
        return mapSearching(holder, ask);
      } catch (FallbackException nowhere) {
        throw nowhere.reason() == FallbackReason.INTERRUPTED
            ? nowhere
            : new FallbackException(
                notThere.reason(),
                notThere.detail() + "; elsewhere: " + nowhere.reason() + ", " + nowhere.detail(),
                nowhere);
      }
    }
  }

  private FileMap mapSearching(DataNodeId holder, BlockAsk ask) throws FallbackException {
    try {
      return mapWhereverItIs(holder, ask);
    } catch (FallbackException e) {
      // Once: where devices hang, the next search is due whenever this one has ended.
      if (e.reason() == FallbackReason.INTERRUPTED || !storages.searchAgain()) {
        throw e;
      }
      return mapWhereverItIs(holder, ask);
    }
  }

  /**
   * Of whichever storage has it: its id and stamp say what it is, wherever it lies. Of such as were
   * found bad only if no other one has it.
   */
  private FileMap mapWhereverItIs(DataNodeId holder, BlockAsk ask) throws FallbackException {
    List<LocatedStorage> all = new ArrayList<>(storages.all());
    // Last but those found bad: a device that hangs must not keep those waiting whose block is on
    // another one.
    all.sort(
        Comparator.comparing((LocatedStorage each) -> ask.badStorages().contains(each.storageId()))
            .thenComparing(each -> mute.contains(each.storageId())));
    FallbackException refusal = storages.none(ask.block());
    for (LocatedStorage storage : all) {
      try {
        FileMap map = map(holder, ask, storage);
        mute.remove(storage.storageId());
        return map;
      } catch (FallbackException e) {
        if (e.reason() == FallbackReason.INTERRUPTED) {
          throw e;
        }
        if (e.reason() == FallbackReason.REPLICA_NOT_FOUND) {
          mute.remove(storage.storageId());
        } else {
          mute.add(storage.storageId());
          refusal = e; // it may well be there
        }
      }
    }
    throw refusal;
  }

  private FileMap map(DataNodeId holder, BlockAsk ask, LocatedStorage storage)
      throws FallbackException {
    Moment<ReplicaFiles.Found> moment;
    try {
      moment = storage.resolve(ask.block());
    } catch (FallbackException e) {
      if (e.reason().policy().scope() == FallbackPolicy.Scope.STORAGE) {
        storages.forget(storage); // it is looked for anew
      }
      throw e;
    }
    ReplicaFiles.Found found = moment.found();
    FileMap map =
        new FileMap(
            ask.block(),
            new DeviceOrigin(
                holder.toString(), storage.storageId(), storage.identity(), found.checksum()),
            found.blockLength(),
            found.blockExtents(),
            found.metaExtents(),
            new DeviceGuard(storage.live(), moment.opened(), found.footprint(), moment.position()));
    held.add(map);
    counters.maps.increment();
    if (closed) {
      discard(map);
    }
    return map;
  }

  /** Nobody asks it. */
  @Override
  public boolean mayBeSilent(DataNodeId holder) {
    return true;
  }

  @Override
  public boolean findsUnlisted() {
    return true;
  }

  @Override
  public boolean discard(FileMap map) {
    guard(map).fail();
    return held.remove(map);
  }

  @Override
  public void release(FileMap map) {
    discard(map);
  }

  @Override
  public int held() {
    return held.size();
  }

  /**
   * {@inheritDoc} Has the volumes looked at that maps are held of, once a second, and maps dropped
   * whose files are not what they were: also what others keep of them.
   */
  @Override
  public long tend() {
    if (held.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long left = tendedAt + TEND_NANOS - clock.nanos();
    if (left > 0) {
      return left;
    }
    tendedAt = clock.nanos();
    // Elsewhere: a device that hangs must not keep who tends from other planes' maps.
    looking.begin(background, this::lookAtAll);
    return TEND_NANOS;
  }

  private void lookAtAll() {
    Map<LiveVolume, Optional<OpenVolume>> looks = new HashMap<>();
    for (FileMap map : held) {
      LiveVolume live = guard(map).live();
      if (!guard(map).isProvedBy(looks.computeIfAbsent(live, DevicePlane::look))) {
        lose(map);
      }
    }
  }

  private static Optional<OpenVolume> look(LiveVolume live) {
    try {
      return Optional.of(live.look());
    } catch (FallbackException e) {
      return Optional.empty(); // who wants a block of it learns why when asking for it anew
    }
  }

  private void lose(FileMap map) {
    MapListener told = listener;
    if (discard(map) && told != null) {
      told.lost(map);
    }
  }

  private static DeviceGuard guard(FileMap map) {
    return (DeviceGuard) map.guard();
  }

  @Override
  public void close() {
    closed = true;
    held.forEach(this::discard);
    storages.forgetAll(); // whoever holds on to this plane must not keep devices open
  }
}
