// SPDX-License-Identifier: Apache-2.0

/**
 * A concurrent, bounded, in-memory cache with S3-FIFO eviction.
 *
 * <p>{@link io.rdio.s3fifo.S3Fifo} builds a {@link io.rdio.s3fifo.Cache}. Behind it, {@code
 * BoundedCache} holds the entries in a concurrent hash table, {@code LoadingNode} runs a loader
 * once per key, {@code Eviction} serialises what the {@linkplain io.rdio.s3fifo.policy policy} is
 * told, and {@code MapView} is the cache seen as a map.
 */
@NullMarked
package io.rdio.s3fifo;

import org.jspecify.annotations.NullMarked;
