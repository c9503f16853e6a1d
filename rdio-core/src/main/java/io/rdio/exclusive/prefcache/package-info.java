// SPDX-License-Identifier: Apache-2.0
/**
 * PrefCache: the storage node's near-exclusive cache, after BNEX (APSys'25). Compute nodes tell
 * which blocks just fell out of their page cache, by address only; those are prefetched here, and
 * what a compute node reads back is let go of at once, since it has it again.
 *
 * <p>{@link io.rdio.exclusive.prefcache.SegmentCache} decides what is cached and does no I/O; the
 * simulator runs the very same class.
 */
@NullMarked
package io.rdio.exclusive.prefcache;

import org.jspecify.annotations.NullMarked;
