// SPDX-License-Identifier: Apache-2.0
/**
 * The data plane: a block's bytes from the device, proved to be the block's. {@link
 * io.rdio.client.read.BlockReader} is the port that others read by; behind it is {@link
 * io.rdio.client.read.ExtentReader}, for a client that opens the device itself.
 *
 * <h2>A read, from the call to verified bytes</h2>
 *
 * <ol>
 *   <li>{@code ExtentReader.read} writes down what is wanted, and where to, in the thread's {@code
 *       Piece}. Whoever delivers bytes moves the piece on; the read is over when it is done. And it
 *       reads the leases' clock: what is looked at ahead of the first wait is looked at as of then.
 *   <li>{@code CachedReads.copy}: the lease is looked at (<b>check 1</b>), and what the block data
 *       cache has is copied. A reader that has read ahead passes this over.
 *   <li>The reader takes the {@code ReadAhead} that it kept from the last read, or borrows one from
 *       the {@code ReadAheadPool}: windows, and the {@code ReadSession} by which they are read.
 *       Where the window that a run has come to has all that is wanted, it moves the piece on, as
 *       below, and nothing else is done: checks 2 and 3 were when its bytes came.
 *   <li>{@code ReadPlan} decides: sequential or positional; with which budget for reading ahead; in
 *       place, or through windows, and through how many of which size. It asks nobody and does
 *       nothing. Sizes that more than one class goes by are in {@code ReadGeometry}.
 *   <li>A positional read that the block data cache admits is widened to whole chunks and leaves
 *       them there, all of them verified first ({@code CachedReads.readAndKeep}).
 *   <li>For bytes that are not here, the reader makes sure that it is open and that the device
 *       answers ({@code BlockDevice.requireAnswering}). Then {@code ReadAhead.readInPlace} sends
 *       the device's bytes to the caller's memory, or {@code ReadAhead.fetch} to windows: it drops
 *       what does not lead on, begins what is missing, and waits for the first window. Where maps
 *       of several replicas are kept, {@code ReplicaSpread} says for each window by which of them
 *       it is read; whatever follows from how that went concerns that one. Where a second way
 *       brings ranges of a run, the window that would begin there begins behind them ({@code
 *       SharedRun.past}); the run's reader takes them from there, and not from here.
 *   <li>{@code ReadWindow.begin}: lease (<b>check 2</b>); then {@code WindowCrcs} and {@code
 *       ExtentGather} prepare the reads of CRCs and data, run by run along the extents, on the
 *       session's queue.
 *   <li>{@code ReadWindow.complete}: waits for the window's reads, which are all submitted by then,
 *       but for those that the queue had no place for: they are prepared now, and waited for; lease
 *       (<b>check 3</b>); what is in the caller's memory is verified now. Only behind that is the
 *       window complete, and only complete windows are copied from. A lease that has ended never
 *       becomes valid again: so checks 2 and 3 together say that it was valid all the while. What
 *       has been proved so may be handed out later, for a generation stamp names one version of a
 *       block.
 *   <li>The window moves the piece on: {@code ReadWindow.copy} has {@code ChunkVerifier} check the
 *       chunks that its bytes lie in against {@code WindowCrcs}, and copy them in the same pass. A
 *       run with a budget left keeps its {@code ReadAhead} for the next read; else all goes back to
 *       the pools.
 *   <li>A read that fails is judged by the reader: the map is rejected and another one is tried
 *       once, or the refusal is the answer. A long run begins the next block ({@code BlocksAhead}).
 * </ol>
 *
 * <h2>The same for somebody else</h2>
 *
 * <p>An agent reads pieces of a {@code TransferBlock} by a {@code TransferQueue} into memory of
 * another process, which verifies them. {@code Transfer.begin} has {@code CachedReads.bring} ask
 * the block data cache first; only what is not there is read straight to that memory, several
 * pieces at a time. What is to be cached goes through windows, as above.
 *
 * <h2>Who may touch what</h2>
 *
 * <table>
 *   <caption>The classes of a read, from the caller inwards</caption>
 *   <tr><th>class</th><th>owns</th><th>may wait for</th><th>never</th></tr>
 *   <tr><td>ExtentReader, PresentReplica</td>
 *       <td>the block's map, and the place of the kept ReadAhead</td>
 *       <td>a new map</td><td>touches windows or queues</td></tr>
 *   <tr><td>FailedReads</td><td>maps that are suspected</td><td>nothing</td><td>reads</td></tr>
 *   <tr><td>Piece</td><td>nothing: the memory is the caller's, until it is released</td>
 *       <td>nothing</td><td>decides</td></tr>
 *   <tr><td>ReadPlan</td><td>the numbers of one read</td><td>nothing</td>
 *       <td>sees devices, leases, memory</td></tr>
 *   <tr><td>CachedReads</td><td>nothing</td><td>what ReadAhead waits for</td>
 *       <td>caches what is not verified</td></tr>
 *   <tr><td>ReadAhead</td><td>its windows (WindowRow), while it is lent; it alone begins, completes
 *       and gives them back</td><td>the first window; for those that it drops, a moment</td>
 *       <td>looks at leases or bytes</td></tr>
 *   <tr><td>SharedRun, RangeRow, SharedRange</td><td>ranges that the second way brings, and the
 *       windows that they lie in</td><td>a byte that is late, as long as the device would take</td>
 *       <td>touches a device, or its windows</td></tr>
 *   <tr><td>ReplicaSpread</td><td>which replica was chosen last</td><td>nothing</td>
 *       <td>knows what became of a read</td></tr>
 *   <tr><td>ReadSession</td><td>the queue; which replica and clock it reads by</td><td>nothing</td>
 *       <td>changes its queue: what is late stays with it</td></tr>
 *   <tr><td>ReadWindow</td><td>its memory, and the checks before and behind its reads</td>
 *       <td>its own reads</td><td>hands out what is not complete, or not verified</td></tr>
 *   <tr><td>WindowCrcs</td><td>the CRCs of one window</td><td>their reads</td>
 *       <td>looks at leases</td></tr>
 *   <tr><td>ExtentGather</td><td>the tickets of one range's reads</td><td>these reads</td>
 *       <td>looks at leases or CRCs</td></tr>
 *   <tr><td>ReadAheadPool, KeptReadAheads</td><td>all queues; what is idle</td>
 *       <td>a moment, for what is given back; a second, for a queue</td><td>reads</td></tr>
 *   <tr><td>AbandonedReadAheads</td><td>windows that the kernel may still write to</td>
 *       <td>nothing: it looks again later</td><td>lends them</td></tr>
 *   <tr><td>WindowPool, WindowGroup, WindowMemory</td><td>all memory, and its bound</td>
 *       <td>nothing but the lock of a new slab</td><td>knows who reads what</td></tr>
 * </table>
 *
 * <p>Everything from {@code ReadAhead} on inwards is for one thread at a time: whoever took it out
 * of its place, or borrowed it, owns it until it gives it back. That hand-over is by atomic places
 * and queues; a warm read takes no lock and allocates nothing.
 */
@NullMarked
package io.rdio.client.read;

import org.jspecify.annotations.NullMarked;
