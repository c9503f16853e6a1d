// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.PinnedFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the links of pins that nobody holds any more. Removing a file's last link makes the file
 * system free its extents, which may take long or for ever, so it is done where no client waits, on
 * the volume's own thread. Thread-safe.
 */
final class Unpinner {
  private static final Logger LOG = LoggerFactory.getLogger(Unpinner.class);
  private static final String WHAT = "removing pins";

  private final long holdNanos;
  private final LeaseTable table;
  private final MonotonicClock clock;
  private final GrantCounters counters;

  Unpinner(long holdNanos, LeaseTable table, MonotonicClock clock, GrantCounters counters) {
    this.holdNanos = holdNanos;
    this.table = table;
    this.clock = clock;
    this.counters = counters;
  }

  /** Unlinks, in the background, pins that the table handed out. */
  void unpin(List<Pin> pins) {
    Set<Volume> volumes = new HashSet<>();
    for (Pin pin : pins) {
      pin.volume().unpinned().add(pin);
      volumes.add(pin.volume());
    }
    // Where this fails, the volume's next upkeep does it.
    volumes.forEach(
        volume ->
            counters.survive(WHAT, () -> volume.unlinking().request(WHAT, () -> drain(volume))));
  }

  /** Removes what waits on a volume. For one thread at a time, which it may hold up for ever. */
  void drain(Volume volume) {
    for (Pin pin = volume.unpinned().poll(); pin != null; pin = volume.unpinned().poll()) {
      Pin free = pin;
      counters.survive(WHAT, () -> unpin(free));
    }
  }

  private void unpin(Pin pin) {
    try {
      remove(pin.volume(), pin.files(), () -> GrantFaultInjector.get().beforeUnpin(pin.block()));
    } finally {
      table.unpinned(pin);
    }
  }

  /** Removes links that no pin stands for; what cannot be removed is a leftover from now on. */
  void remove(Volume volume, PinnedFiles files) {
    remove(volume, files, () -> {});
  }

  private void remove(Volume volume, PinnedFiles files, Runnable before) {
    try {
      before.run();
      files.unlink();
    } catch (Throwable e) {
      volume.leftovers().keep(files, clock.nanos(), holdNanos);
      LOG.warn("{} cannot be removed; tried again later", files, e);
      if (!(e instanceof IOException)) {
        counters.failed(WHAT, e);
      }
    }
  }
}
