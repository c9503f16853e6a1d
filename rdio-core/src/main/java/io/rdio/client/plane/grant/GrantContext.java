// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.time.MonotonicClock;
import java.util.function.DoubleSupplier;

/**
 * What all sessions of one client with its DataNodes have in common.
 *
 * @param clock that leases run on
 * @param random numbers from 0 to 1, for any thread
 */
record GrantContext(
    MetadataClientSettings settings,
    MonotonicClock clock,
    ClientCounters counters,
    DoubleSupplier random) {
  LeaseTerms terms() {
    return new LeaseTerms(settings.leaseMargin());
  }
}
