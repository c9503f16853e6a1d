// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One storage directory: its slots, its threads, and who has how much of it. Thread-safe. */
final class SlotVolume {
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Storage storage;
  private final MonotonicClock clock;
  private final Executor allocating;
  private final Executor upkeep;
  private final PinDirectory pins;
  private final Leftovers holds;
  private final SlotAccount account;
  private final Quarantine quarantine = new Quarantine();
  private final KeptFiles kept;
  private final ReplicaNames names = new ReplicaNames();
  private final Queue<RbwReplica> toInvalidate = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean upkeepWaits = new AtomicBoolean();
  private volatile @Nullable Opened opened;
  private volatile @Nullable FallbackException refusal;
  private volatile boolean gone;
  private volatile long usedNanos;

  /**
   * What lending on a volume needs.
   *
   * @param unit bytes that are written at once at least
   * @param recycles whether files of deleted blocks may be slots again here (W15)
   */
  record Opened(
      DeviceIdentity device,
      int unit,
      SlotDirectory directory,
      SlotMaker maker,
      SlotPool pool,
      boolean recycles) {

    Opened on(DeviceIdentity now) {
      return new Opened(now, unit, directory, maker, pool, recycles);
    }

    /** Whether it is worth it, too: a new slot may cost zeros. */
    boolean keepsFiles() {
      return recycles && !maker.isKnownByDevice();
    }
  }

  /**
   * @param clock by which it has been quiet for long as this begins
   */
  SlotVolume(
      Storage storage,
      WriteThreads threads,
      WriteConfig config,
      WriteCounters counters,
      MonotonicClock clock) {
    this.storage = storage;
    this.clock = clock;
    this.usedNanos = clock.nanos() - QUIET_NANOS;
    this.allocating = threads.allocating(storage.volumeRoot());
    this.upkeep = threads.upkeep(storage.volumeRoot());
    this.pins = new PinDirectory(storage.volumeRoot(), config.ioMillis());
    this.holds = new Leftovers(counters);
    this.kept = new KeptFiles(new SlotDirectory(storage.volumeRoot(), config.quarantineMillis()));
    this.account =
        new SlotAccount(
            storage.volumeRoot().toString(), config.slotsPerAddress(), config.lentBytesMax());
  }

  Storage storage() {
    return storage;
  }

  Path root() {
    return storage.volumeRoot();
  }

  /** For Allocate here. */
  Executor allocating() {
    return allocating;
  }

  SlotAccount account() {
    return account;
  }

  Quarantine quarantine() {
    return quarantine;
  }

  /** Files of its blocks that are to be slots again. */
  KeptFiles kept() {
    return kept;
  }

  /** Makes names of its replicas durable. */
  ReplicaNames names() {
    return names;
  }

  /** Where hold links are. */
  PinDirectory pins() {
    return pins;
  }

  /** Hold links of what was committed. */
  Leftovers holds() {
    return holds;
  }

  /** Replicas whose lease ended without a Commit. */
  Queue<RbwReplica> toInvalidate() {
    return toInvalidate;
  }

  /** Has work done on the thread of the upkeep, unless some of it waits there already. */
  void requestUpkeep(Runnable work) {
    if (!upkeepWaits.compareAndSet(false, true)) {
      return;
    }
    boolean queued = false;
    try {
      upkeep.execute(
          () -> {
            upkeepWaits.set(false);
            work.run();
          });
      queued = true;
    } finally {
      if (!queued) {
        upkeepWaits.set(false);
      }
    }
  }

  void opened(Opened now) {
    opened = now;
    refusal = null;
  }

  void refused(FallbackException why) {
    opened = null;
    refusal = why;
  }

  @Nullable Opened openedOrNull() {
    return opened;
  }

  /** Why nothing is lent here; null also before it was looked at. */
  @Nullable FallbackException refusal() {
    return refusal;
  }

  /**
   * What it was opened to.
   *
   * @throws FallbackException why it is not open
   */
  Opened use() throws FallbackException {
    Opened now = opened;
    if (now != null && !gone) {
      return now;
    }
    FallbackException why = refusal;
    throw why != null
        ? why
        : new FallbackException(FallbackReason.DATANODE_NOT_READY, root() + " is not open");
  }

  /**
   * Takes a slot into the pool whose file is there by now. Where HDFS has this volume no more the
   * file is removed instead: whoever stands for the volume by then may have looked before at what
   * is there, and would not know of it until the next start.
   *
   * @param now what this was opened to
   * @return whether it is in the pool
   */
  boolean addToPool(Opened now, Slot slot) throws IOException {
    if (gone) {
      Files.deleteIfExists(now.directory().pooled(slot));
      return false;
    }
    now.pool().add(slot);
    return true;
  }

  /** A writer begins or ends a block on it, or something is seen to be under way on its device. */
  void inUse() {
    usedNanos = clock.nanos();
  }

  /**
   * Whether it was not in use for so long that no writer is between two blocks: the gap of one that
   * goes on is shorter. What agents write meanwhile goes by other hosts and is not seen here.
   */
  boolean isQuiet() {
    return clock.nanos() - usedNanos >= QUIET_NANOS;
  }

  /** HDFS has it no more: nothing is lent here, and nothing is changed here by the upkeep. */
  void leave() {
    gone = true;
  }

  boolean isGone() {
    return gone;
  }

  @Override
  public String toString() {
    return root().toString();
  }
}
