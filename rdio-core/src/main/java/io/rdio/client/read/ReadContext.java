// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * What all readers of one JVM share. Safe for any number of threads.
 *
 * @param clock the one that the leases of {@code maps} run on
 * @param dataCache null where it is off
 */
public record ReadContext(
    FileMapSource maps,
    DeviceDirectory devices,
    WindowPool windows,
    ReadAheadPool readAheads,
    MonotonicClock clock,
    ClientCounters counters,
    @Nullable BlockDataCache dataCache,
    BlocksAhead blocksAhead) {}
