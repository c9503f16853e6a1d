// SPDX-License-Identifier: Apache-2.0
/**
 * A throwaway cluster on a loop device, with real daemons: for the demo, the tests and the
 * benchmarks.
 */
@NullMarked
package io.rdio.hdfs.cluster;

import org.jspecify.annotations.NullMarked;
