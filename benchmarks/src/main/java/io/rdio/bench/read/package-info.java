// SPDX-License-Identifier: Apache-2.0
/**
 * {@code bench read}: stock HDFS, the path-based short-circuit read, RDIO and the raw device, in
 * turn and several times, on one cluster.
 */
@NullMarked
package io.rdio.bench.read;

import org.jspecify.annotations.NullMarked;
