// SPDX-License-Identifier: Apache-2.0
/**
 * KTracer, the compute node's half of the near-exclusive storage cache (BNEX, APSys 2025): which
 * blocks just fell out of this host's memory, told to the storage node by their addresses only.
 *
 * <p>An eviction's way: an {@link io.rdio.exclusive.eviction.EvictionSource} (the kernel's page
 * cache, or a client's block data cache) sees it; {@link io.rdio.exclusive.eviction.ExtentCache}
 * finds where the file's pages lie on the device; {@link io.rdio.exclusive.eviction.SegmentBatcher}
 * waits for neighbours and makes whole segments of them; {@link
 * io.rdio.exclusive.eviction.EvictionSender} sends what is still true when its turn comes. {@link
 * io.rdio.exclusive.eviction.EvictionTracer} joins them.
 *
 * <p>All of it is a hint: whatever is slow, full or away costs evictions, which are counted, and
 * never waits. But no hint lies: an address is sent only if nothing was freed or moved of its file
 * since the address was asked for, which {@link io.rdio.exclusive.eviction.ExtentEpochs} tell.
 */
@NullMarked
package io.rdio.exclusive.eviction;

import org.jspecify.annotations.NullMarked;
