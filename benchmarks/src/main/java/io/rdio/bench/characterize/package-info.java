// SPDX-License-Identifier: Apache-2.0
/**
 * {@code bench characterize}: a factorial experiment on HDFS's and RDIO's latencies, after Pioli
 * and others: the device's speed, its I/O scheduler, tasks, access pattern, operation and way, in
 * random order, with an analysis of variance.
 */
@NullMarked
package io.rdio.bench.characterize;

import org.jspecify.annotations.NullMarked;
