// SPDX-License-Identifier: Apache-2.0

/**
 * The eviction algorithm alone: three FIFO queues and the rules that move entries between them. It
 * is single-threaded, knows neither keys nor values, and is shared by the concurrent cache (which
 * calls it under one lock) and by the trace simulator (which calls it directly), so that what is
 * simulated is what runs.
 *
 * <p>Start at {@link io.rdio.s3fifo.policy.S3FifoPolicy}.
 */
@NullMarked
package io.rdio.s3fifo.policy;

import org.jspecify.annotations.NullMarked;
