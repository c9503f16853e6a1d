// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.lease.LeaseClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the links of pins that nobody holds any more. Removing a file's last link makes the file
 * system free its extents, which may take long, so it is done where no client waits.
 */
final class Unpinner {
  private static final Logger LOG = LoggerFactory.getLogger(Unpinner.class);

  private final long holdNanos;
  private final LeaseTable table;
  private final LeaseClock clock;
  private final Executor background;

  Unpinner(long holdNanos, LeaseTable table, LeaseClock clock, Executor background) {
    this.holdNanos = holdNanos;
    this.table = table;
    this.clock = clock;
    this.background = background;
  }

  /** Unlinks, in the background, pins that the table handed out. */
  void unpin(List<Pin> pins) {
    if (!pins.isEmpty()) {
      background.execute(() -> pins.forEach(this::unpin));
    }
  }

  private void unpin(Pin pin) {
    GrantFaultInjector.get().beforeUnpin(pin.block());
    try {
      pin.files().unlink();
    } catch (IOException e) {
      LOG.warn("{} cannot be unpinned: {}; tried again later", pin.block(), pin.files(), e);
      pin.volume().leftovers().keep(pin.files(), clock.nanos(), holdNanos);
    } finally {
      table.unpinned(pin);
    }
  }
}
