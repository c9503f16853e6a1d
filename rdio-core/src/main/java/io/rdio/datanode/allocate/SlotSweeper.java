// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after one volume, on its own thread: opens it, rehearses a Commit, removes replicas whose
 * lease ended, lets slots out of quarantine, ends hold links, looks at what is kept, shrinks and
 * fills the pool. For one thread at a time.
 */
final class SlotSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(SlotSweeper.class);
  private static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Slots that one upkeep makes at most, so that what is due waits no longer for it. */
  private static final int MADE_AT_ONCE = 4;

  /** When the pool of a busy volume was short for so long, one slot is made all the same. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final SlotVolume volume;
  private final SlotOpener opener;
  private final SlotRelease release;
  private final SlotRecycler recycler;
  private final CommitRehearsal rehearsal;
  private final ReplicaWriter writer;
  private final WriteConfig config;
  private final MonotonicClock clock;
  private final WriteCounters counters;
  private final BooleanSupplier idle;
  private final BackOff refusals;
  private final BackOff making;
  private long looked;

  /** Since when the pool has been short and no slot was made. */
  private long shortNanos;

  /**
   * How a volume comes into use, its slots out of quarantine, files of blocks back, and others into
   * its pool.
   *
   * @param rehearsal of commits, ahead of the pool, for writers come as soon as that has a slot
   * @param idle whether nothing is under way on the volume's device just then
   */
  record Ways(
      SlotOpener opener,
      SlotRelease release,
      SlotRecycler recycler,
      CommitRehearsal rehearsal,
      BooleanSupplier idle) {}

  SlotSweeper(
      SlotVolume volume,
      Ways ways,
      ReplicaWriter writer,
      WriteConfig config,
      MonotonicClock clock,
      WriteCounters counters) {
    this.volume = volume;
    this.opener = ways.opener();
    this.release = ways.release();
    this.recycler = ways.recycler();
    this.rehearsal = ways.rehearsal();
    this.writer = writer;
    this.config = config;
    this.clock = clock;
    this.counters = counters;
    this.idle = ways.idle();
    this.refusals = new BackOff(FIRST_WAIT, LONGEST_WAIT, clock);
    this.making = new BackOff(FIRST_WAIT, LONGEST_WAIT, clock);
    this.shortNanos = clock.nanos();
  }

  /** All that is due. One part that fails does not keep the others from being done. */
  void upkeep() {
    if (volume.isGone()) {
      return;
    }
    counters.survive("removing replicas without a commit", this::invalidate);
    counters.survive("opening a volume's slots", this::openIfDue);
    SlotVolume.Opened opened = volume.openedOrNull();
    if (opened != null) {
      counters.survive("rehearsing a commit", () -> rehearsal.onceOn(volume, opened));
      counters.survive("looking at a volume", () -> lookIfDue(opened));
      counters.survive("ending hold links", () -> volume.holds().removeDue(clock.nanos()));
      counters.survive("ending quarantines", () -> release.releaseDue(opened));
      counters.survive("looking after a pool", () -> shrinkOrFill(opened));
    } else {
      counters.survive("looking at what is kept", () -> recycler.look(null, false));
    }
  }

  private void invalidate() {
    int turn = volume.toInvalidate().size();
    for (int i = 0; i < turn; i++) {
      RbwReplica replica = volume.toInvalidate().poll();
      if (replica != null) {
        try {
          writer.invalidate(replica);
        } catch (IOException e) {
          LOG.warn("{} cannot be removed yet; tried again", replica.block(), e);
          volume.toInvalidate().add(replica);
        }
      }
    }
  }

  private void openIfDue() {
    if (volume.openedOrNull() != null || refusals.leftNanos() > 0) {
      return;
    }
    try {
      SlotVolume.Opened opened = opener.open();
      looked = clock.nanos();
      volume.opened(opened);
      LOG.info("Slots on {}: {}", volume, opened.device());
    } catch (FallbackException e) {
      refused(e);
    } catch (IOException e) {
      refused(new FallbackException(FallbackReason.PIN_FAILED, "folders of slots: " + e, e));
    } catch (RuntimeException | Error e) {
      refused(new FallbackException(FallbackReason.INTERNAL_ERROR, e.toString(), e));
      throw e;
    }
  }

  private void refused(FallbackException why) {
    FallbackException before = volume.refusal();
    refusals.failed(0);
    volume.refused(why);
    if (before == null || !before.detail().equals(why.detail())) {
      LOG.warn(
          "No slots on {}: {} ({}); fix: {}. It is looked at again from time to time",
          volume,
          why.reason().text(),
          why.detail(),
          why.reason().fix());
    }
  }

  private void lookIfDue(SlotVolume.Opened opened) {
    if (clock.nanos() - looked < LOOK_NANOS) {
      return;
    }
    looked = clock.nanos();
    try {
      DeviceIdentity device = opener.look();
      if (device.hasGrownFrom(opened.device())) {
        volume.opened(opened.on(device));
      }
    } catch (FallbackException e) {
      // Whatever became of the volume, its next Allocate, or HDFS, will say so.
      LOG.debug("{} cannot be looked at", volume, e);
    }
  }

  private void shrinkOrFill(SlotVolume.Opened opened) {
    try {
      long spare = writer.availableBytes(volume.storage()) - config.spareBytes();
      spare += recycler.look(opened, spare < 0);
      if (spare < 0) {
        shrink(opened, -spare);
      } else if (making.leftNanos() <= 0) {
        fill(opened, spare);
      }
    } catch (IOException e) {
      making.failed(0);
      LOG.warn("The pool of {} cannot be looked after", volume, e);
    } catch (FallbackException e) {
      making.failed(0);
      LOG.warn("No slot can be made on {}: {}", volume, e.detail());
    }
  }

  private static void shrink(SlotVolume.Opened opened, long bytes) throws IOException {
    long freed = 0;
    while (freed < bytes) {
      Optional<Slot> slot = opened.pool().takeLargest();
      if (slot.isEmpty()) {
        return;
      }
      Files.deleteIfExists(opened.directory().pooled(slot.get()));
      freed += slot.get().bytes();
    }
  }

  private void fill(SlotVolume.Opened opened, long spare) throws IOException, FallbackException {
    long left = spare;
    Optional<Long> missing = missing(opened.pool());
    if (missing.isEmpty()) {
      shortNanos = clock.nanos();
    }
    for (int i = 0; i < MADE_AT_ONCE && missing.isPresent() && missing.get() <= left; i++) {
      if (volume.isGone() || !isTimeToMake(opened.pool())) {
        return;
      }
      if (!volume.addToPool(opened, opened.maker().make(missing.get()))) {
        return;
      }
      shortNanos = clock.nanos();
      making.succeeded();
      counters.countSlotMade(opened.maker().isByDevice());
      left -= missing.get();
      missing = missing(opened.pool());
    }
  }

  /** Places are left free for what may come back, unless somebody lacks a slot now. */
  private Optional<Long> missing(SlotPool pool) {
    return pool.isLacking() ? pool.missing(bytes -> 0) : pool.missing(recycler::expected);
  }

  /**
   * Not between two blocks of a writer, which would wait for the device then; but at once where
   * there was no slot for one.
   */
  private boolean isTimeToMake(SlotPool pool) {
    if (!idle.getAsBoolean()) {
      volume.inUse();
    }
    return volume.isQuiet() || pool.isLacking() || clock.nanos() - shortNanos >= PATIENCE_NANOS;
  }
}
