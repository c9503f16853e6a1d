// SPDX-License-Identifier: Apache-2.0
/**
 * The DataNode's side of remote writes (docs/remote-writes.md): slots, write leases, commits.
 *
 * <p>Read it in this order. {@link io.rdio.datanode.allocate.WriteRoom} is the door, and {@link
 * io.rdio.datanode.allocate.DataNodeWriteRoom} what is behind it. {@link
 * io.rdio.datanode.allocate.SlotLender} lends a slot of a {@link
 * io.rdio.datanode.allocate.SlotPool}; {@link io.rdio.datanode.allocate.WriteLeases} alone decides
 * who has it; {@link io.rdio.datanode.allocate.WriteCommit} makes a block file of it, or it goes to
 * the {@link io.rdio.datanode.allocate.Quarantine}, from which {@link
 * io.rdio.datanode.allocate.SlotRelease} lets it out, when {@link
 * io.rdio.datanode.allocate.WriteFence} has shut its host out if need be. {@link
 * io.rdio.datanode.allocate.SlotRecycler} takes the files of deleted blocks there, too, of those
 * that {@link io.rdio.datanode.allocate.KeptFiles} has. {@link
 * io.rdio.datanode.allocate.SlotSweeper} has all that done. {@link
 * io.rdio.datanode.allocate.SlotDirectory} has the folders, which say over a restart what memory
 * says until then.
 *
 * <p>Everything that HDFS knows or has to do comes by {@link
 * io.rdio.datanode.allocate.ReplicaWriter}. Locks: each of the tables has one, held for memory work
 * only; nobody waits for a disk or for HDFS with it.
 */
@NullMarked
package io.rdio.datanode.allocate;

import org.jspecify.annotations.NullMarked;
