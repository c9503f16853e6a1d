// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.ext4.Ext4Exception;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a file system at one moment (R6): the journal was caught up before and behind,
 * and no transaction in between touched anything that was read. So nobody followed a pointer into a
 * block that had become somebody's data, and what was read of files was theirs.
 *
 * @param opened the mount that it was read in
 * @param position that the journal had caught up to before
 */
record Moment<T>(T found, OpenVolume opened, long position) {
  static final int ATTEMPTS = 5;

  /** Until a block that is being written is whole. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Reads something. All metadata but what says where inodes lie goes through the trace. */
  @FunctionalInterface
  interface Walk<T> {
    T at(OpenVolume opened, BlockTrace trace) throws Ext4Exception, FallbackException;
  }

  /**
   * Reads as often as it takes.
   *
   * @param what for the message
   * @throws FallbackException VOLUME_STALLED if transactions come too fast; what the walk refused;
   *     or as {@link LiveVolume#look} says
   */
  static <T> Moment<T> of(LiveVolume live, String what, Walk<T> walk) throws FallbackException {
    return of(live, what, BlockTrace.MAX_BLOCKS, walk);
  }

  /**
   * As {@link #of(LiveVolume, String, Walk)}.
   *
   * @param most blocks that the walk may ask for
   */
  static <T> Moment<T> of(LiveVolume live, String what, int most, Walk<T> walk)
      throws FallbackException {
    boolean missed = false;
    for (int i = 0; i < ATTEMPTS; i++) {
      OpenVolume opened = live.look();
      long position = opened.journal().position();
      BlockTrace trace = new BlockTrace(opened.blocks(), most);
      Moment<T> moment = null;
      FallbackException refusal = null;
      try {
        moment = new Moment<>(walk.at(opened, trace), opened, position);
      } catch (Ext4Exception e) {
        boolean isMiss = e.kind() == Ext4Exception.Kind.NOT_FOUND;
        boolean isDamage = e.kind() == Ext4Exception.Kind.DAMAGED;
        if ((isMiss && !missed) || (isDamage && i + 1 < ATTEMPTS)) {
          missed |= isMiss;
          forget(live, opened, isMiss ? trace : null);
          continue;
        }
        refusal = Refusals.ofFile(live.device().name(), e);
      } catch (FallbackException e) {
        refusal = e;
      }
      if (live.look() == opened && trace.isUntouched(opened.journal(), position)) {
        if (moment == null) {
          throw refusal;
        }
        return moment;
      }
      live.counters().resolvesAgain.increment();
    }
    throw new FallbackException(
        FallbackReason.VOLUME_STALLED,
        live.device().name()
            + ": the metadata on the way to "
            + what
            + " changed "
            + ATTEMPTS
            + " times while it was read");
  }

  /** Has what led to a miss be read from the device anew, or all where there was damage. */
  private static void forget(LiveVolume live, OpenVolume opened, @Nullable BlockTrace missed) {
    if (missed != null) {
      // What was done to the device past its log (a check, a tool) leaves what is kept stale.
      opened.blocks().forget(missed.numbers());
    } else {
      // A group's descriptor is read past the trace, and may be met while it is written home.
      opened.blocks().forget();
      live.pause(PAUSE_NANOS);
    }
    live.counters().resolvesAgain.increment();
  }
}
