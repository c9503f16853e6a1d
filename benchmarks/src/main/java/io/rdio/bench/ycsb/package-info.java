// SPDX-License-Identifier: Apache-2.0
/**
 * {@code bench ycsb}: many threads that only read, as in YCSB's workload C, by stock HDFS and by
 * RDIO: how latency grows with throughput.
 */
@NullMarked
package io.rdio.bench.ycsb;

import org.jspecify.annotations.NullMarked;
