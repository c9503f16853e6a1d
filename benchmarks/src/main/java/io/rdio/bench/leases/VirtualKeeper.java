// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.time.Keeper;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A keeper in virtual time, as {@link io.rdio.core.time.LeaseKeeper} is one in real time. */
final class VirtualKeeper implements Keeper {
  private static final long LONGEST = TimeUnit.DAYS.toNanos(1);

  private final VirtualTime time;
  private final LongSupplier work;
  private long due = Long.MAX_VALUE;
  private boolean closed;

  VirtualKeeper(VirtualTime time, LongSupplier work) {
    this.time = time;
    this.work = work;
  }

  @Override
  public void start() {
    within(0);
  }

  @Override
  public void within(long nanos) {
    long wanted = time.nanos() + nanos;
    if (wanted < due) {
      due = wanted;
      time.after(nanos, this::wake);
    }
  }

  private void wake() {
    if (closed || time.nanos() < due) {
      return; // what was due then was done before
    }
    due = Long.MAX_VALUE;
    within(Math.min(work.getAsLong(), LONGEST));
  }

  @Override
  public void close() {
    closed = true;
  }
}
