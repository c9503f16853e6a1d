// SPDX-License-Identifier: Apache-2.0
/**
 * The DataNode's side of the lease protocol: pins, leases, grants and recalls.
 *
 * <p>Read it in this order. {@link io.rdio.datanode.grant.GrantService} is the door. A block that
 * is not pinned yet goes through {@link io.rdio.datanode.grant.Pinner}, which links its files into
 * the volume's {@link io.rdio.datanode.volume.PinDirectory}; a {@link io.rdio.datanode.grant.Pin}
 * is then known to the {@link io.rdio.datanode.grant.LeaseTable}, which alone decides who holds
 * what and when a pin may go. {@link io.rdio.datanode.grant.Sweeper} looks round once in a while:
 * at replicas that HDFS let go, at leases that ran out, at volumes that came or went.
 *
 * <p>Everything that HDFS knows comes from {@link io.rdio.datanode.volume.ReplicaSource}. Locks:
 * the lease table has one, held for memory work only; nobody waits for a disk or for HDFS with it.
 */
@NullMarked
package io.rdio.datanode.grant;

import org.jspecify.annotations.NullMarked;
