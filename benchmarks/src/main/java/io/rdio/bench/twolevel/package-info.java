// SPDX-License-Identifier: Apache-2.0

/**
 * What a storage node's cache below the compute node's page cache is worth, by policy: simulated
 * ({@code simulate --two-level}) and on real page caches ({@code bench two-level}).
 *
 * <p>A {@link io.rdio.bench.twolevel.Workload} reads blocks. Level 1 is a {@link
 * io.rdio.bench.twolevel.PageCache}, which replaces as Linux does; what it misses is asked of a
 * {@link io.rdio.bench.twolevel.StorageCache}, level 2, which also hears what level 1 evicted.
 * {@link io.rdio.bench.twolevel.TwoLevels} puts them together and counts. {@link
 * io.rdio.bench.twolevel.StorageCaches} lists the policies of level 2: those that BNEX (APSys'25)
 * was compared with, and BNEX itself, which is the very {@code SegmentCache} and {@code
 * SegmentBatcher} that run in production.
 *
 * <p>On real page caches a {@link io.rdio.bench.twolevel.TwoLevelStack} has devices and mounts, and
 * {@link io.rdio.bench.twolevel.RealNodes} the compute nodes' readers, each in a JVM and a control
 * group of its own. What KTracer takes there is measured by {@code bench ktracer} and {@code bench
 * extent-cache}.
 *
 * <p>In the simulation time is counted in blocks: an eviction is known to level 2, and a prefetch
 * done, before the next read. So queues, their limits and what they drop are not in its figures;
 * they are in those of {@code bench two-level}.
 */
@NullMarked
package io.rdio.bench.twolevel;

import org.jspecify.annotations.NullMarked;
