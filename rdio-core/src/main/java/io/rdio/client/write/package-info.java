// SPDX-License-Identifier: Apache-2.0
/**
 * Writes to slots that DataNodes lend, by rules W8 to W14 of docs/remote-writes.md: the agent's
 * part of a remote write.
 *
 * <h2>A block, from its targets to its replicas</h2>
 *
 * <ol>
 *   <li>{@code GroupWriter.open} asks all targets at the same time. {@code BlockWriters.open} asks
 *       one DataNode for a slot, and {@code SlotDevices} for this host's device of it, which a
 *       write must not reach late (W14), and which is verified by the descriptor that will write.
 *       {@code WriteLease} notes the lease in the library, and {@code StampCheck} reads the stamps
 *       (W12). What of a lease waits for the device is its {@code LeasedSlot}.
 *   <li>{@code BlockWriter.write} hands a range to the library, which checks it, and looks at the
 *       lease right before it submits it (W9, W13). What fails once is not written to any more.
 *   <li>{@code BlockWriter.flush} ends the lease (W10), sees that each write was answered without
 *       an error, and flushes (W11); {@code commit} has the DataNode make a replica of it, asked
 *       again by {@code CommitTries} while there is no answer.
 *   <li>All of that is done for the targets of a block at the same time, by a {@code Round}, which
 *       gives up who waits for a device that does not answer. What was asked of it goes on, and the
 *       {@code BlockWriter} keeps its lease until it is answered.
 *   <li>Meanwhile {@code HeldLeases} has two threads: one renews, and tells DataNodes of what is
 *       not wanted any more; the other one ends what was not renewed in time, for the library's
 *       timer kills the process at the deadline of a lease that was not ended. The second one waits
 *       for no DataNode and for no device. Neither of them closes one: {@code SlotDevices} has a
 *       thread for each that is being closed.
 * </ol>
 *
 * <h2>A host that may be shut out</h2>
 *
 * <p>A DataNode may lend to registered hosts alone, and refuses others with the device to register
 * with. {@code BlockWriters.open} then has {@code HostRegistrar} do so, which ends the leases of
 * before and waits until nothing of before can come any more ({@code AwakeTime}); {@code
 * RegisteredKeys} knows which answers are younger than a registration. Where none asks for it none
 * of this does anything.
 *
 * <h2>A group of erasure-coded blocks</h2>
 *
 * <p>{@code StripedWriter} has a {@code BlockWriter} for each block ({@code InternalBlocks}). It
 * copies what comes into a {@code Stripe} of {@code StripeMemory}, from which full cells are
 * written to their targets, and leaves a full stripe to the group's {@code ParityLine}, whose
 * thread has {@code GroupParity} make and write its parity of the same copy. What was committed
 * before its parity is in the {@code ParityBacklog}. A stripe's writes are its {@code CellWrites}:
 * who waits for them gives up the block whose device does not answer, and the stripe is back in
 * {@code StripeMemory} when that has. {@code CommittedUnits} waits no longer for flushes.
 */
@NullMarked
package io.rdio.client.write;

import org.jspecify.annotations.NullMarked;
