// SPDX-License-Identifier: Apache-2.0
/**
 * {@code bench records}: YCSB's workloads on a store of objects, of which each record is a file:
 * reads, and writes by stock HDFS or by RDIO.
 */
@NullMarked
package io.rdio.bench.records;

import org.jspecify.annotations.NullMarked;
