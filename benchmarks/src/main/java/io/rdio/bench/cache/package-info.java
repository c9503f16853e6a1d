// SPDX-License-Identifier: Apache-2.0

/**
 * Throughput, allocation and memory of the S3-FIFO cache beside Caffeine, Guava and a synchronized
 * LRU.
 *
 * <p>{@link io.rdio.bench.cache.CacheCommand} runs {@link io.rdio.bench.cache.CacheBenchmark} with
 * JMH at each number of threads and prints a table; {@link io.rdio.bench.cache.MemoryCommand}
 * weighs the caches with JOL.
 */
@NullMarked
package io.rdio.bench.cache;

import org.jspecify.annotations.NullMarked;
