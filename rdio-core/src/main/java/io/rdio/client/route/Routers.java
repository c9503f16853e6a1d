// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.device.DeviceIdentity;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/** The routers of all devices: a read is only ever weighed against reads like it. Thread-safe. */
public final class Routers {
  /** Of a sequential run, how much is weighed, and sent, at a time; in bytes. */
  public static final int UNIT = 1 << 20;

  /** Positional reads by the power of two of their size, from 4 KiB to 4 MiB; then sequential. */
  private static final int SMALLEST = 12;

  private static final int LARGEST = 22;

  private final NewReads newReads = new NewReads();
  private final ClientCounters counters;
  private final boolean balance;
  private final ConcurrentHashMap<DeviceIdentity, Router[]> routers = new ConcurrentHashMap<>();

  /**
   * @param balance whether positional reads may go both ways at once; a run in order may not, for
   *     what is read ahead of it is lost when it changes its way
   */
  public Routers(ClientCounters counters, boolean balance) {
    this.counters = counters;
    this.balance = balance;
  }

  /** Weighs positional reads of about so many bytes. */
  public Router positional(DeviceIdentity device, int bytes) {
    int power = 31 - Integer.numberOfLeadingZeros(Math.max(1, bytes));
    return of(device)[Math.max(SMALLEST, Math.min(power, LARGEST)) - SMALLEST];
  }

  /** Weighs {@link #UNIT}s of sequential runs. */
  public Router sequential(DeviceIdentity device) {
    return of(device)[LARGEST - SMALLEST + 1];
  }

  private Router[] of(DeviceIdentity device) {
    Router[] found = routers.get(device);
    return found != null ? found : routers.computeIfAbsent(device, this::create);
  }

  private Router[] create(DeviceIdentity device) {
    Router[] created = new Router[LARGEST - SMALLEST + 2];
    int sequential = LARGEST - SMALLEST + 1;
    Arrays.setAll(
        created,
        i ->
            i == sequential
                ? Router.sequential(newReads, counters)
                : Router.positional(newReads, counters, balance));
    return created;
  }
}
