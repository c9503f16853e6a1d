// SPDX-License-Identifier: Apache-2.0
/**
 * The DataNode's side of remote writes (docs/remote-writes.md): slots, write leases, commits.
 *
 * <p>Read it in this order. {@link io.rdio.datanode.allocate.WriteRoom} is the door. Everything that
 * HDFS knows or has to do comes by {@link io.rdio.datanode.allocate.ReplicaWriter}.
 */
@NullMarked
package io.rdio.datanode.allocate;

import org.jspecify.annotations.NullMarked;
