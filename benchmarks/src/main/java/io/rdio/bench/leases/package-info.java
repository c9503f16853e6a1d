// SPDX-License-Identifier: Apache-2.0
/**
 * Leases by the million: the DataNode's lease table, one step at a time, and a part of a large
 * cluster, DataNodes and hosts, on a clock that jumps ({@code ClusterSimulation}).
 */
@NullMarked
package io.rdio.bench.leases;

import org.jspecify.annotations.NullMarked;
