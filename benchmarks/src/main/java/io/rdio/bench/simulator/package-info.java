// SPDX-License-Identifier: Apache-2.0

/**
 * The trace simulator: replays a trace of object ids against eviction policies and counts misses.
 *
 * <p>{@link io.rdio.bench.simulator.TraceRun} reads a {@link io.rdio.bench.simulator.Trace} and
 * runs each {@link io.rdio.bench.simulator.Policy} at each cache size. All objects have size 1 and
 * every miss is admitted. {@link io.rdio.bench.simulator.Policies} lists the policies by name.
 */
@NullMarked
package io.rdio.bench.simulator;

import org.jspecify.annotations.NullMarked;
