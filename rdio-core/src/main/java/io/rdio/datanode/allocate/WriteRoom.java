// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.write.SlotEnd;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Lends slots of the DataNode's volumes to agents, and makes block files of what they wrote there:
 * the DataNode's half of remote writes (docs/remote-writes.md, rules W1 to W8). One incarnation of
 * it lives as long as the plugin; what it has lent stays on the volumes when it ends, and the next
 * one leaves it alone for its time. Thread-safe.
 *
 * <p>Requests here are checked already for who sent them: sessions, proofs and shares of calls are
 * the caller's. The token of a block is checked here.
 */
public interface WriteRoom extends AutoCloseable {
  /** Extents of a slot at most. */
  int EXTENTS_MAX = 64;

  /** Bytes of a block at most: 1 GiB. */
  long BLOCK_MAX = 1L << 30;

  /** Commits under way on one volume at most. */
  int COMMITS_AT_ONCE = 8;

  /** Bytes of CRCs of all Commits under way on one volume at most: 64 MiB. */
  long COMMIT_CRC_BYTES_MAX = 64L << 20;

  /** New at each start and never 0. */
  long incarnation();

  /** {@code I}: milliseconds for which a slot is left alone behind its lease. */
  long ioMillis();

  /**
   * Lends a slot by rule W2. The caller waits for no disk.
   *
   * @return never fails; may be completed on any thread. A lease whose answer is not delivered
   *     should be aborted at once, as unwritten. After {@code waitNanos} it is refused
   *     (VOLUME_STALLED), and a slot that is staged for it later is taken back.
   * @param waitNanos how long the caller waits for the answer at most
   */
  CompletableFuture<AllocateResult> allocate(AllocateCommand command, long waitNanos);

  /**
   * New terms for leases. A lease that ran out or is being committed is not renewed (W3). Waits for
   * nobody.
   *
   * @param clientId of the leases' holder
   * @param incarnation that the grants named
   * @return milliseconds from before this returned, for each lease in order; 0: not renewed
   */
  long[] renew(String clientId, long incarnation, long[] leaseIds);

  /**
   * Begins a Commit and puts room for its CRCs aside. Waits for nobody.
   *
   * <p>A block that was committed already, by this lease or by one of an earlier incarnation, gets
   * an intake, too: its CRCs are dropped, and it is answered from what HDFS has.
   *
   * @throws FallbackException DATANODE_BUSY at a cap: ask again in a moment; REPLICA_CHANGED or
   *     DATANODE_NOT_READY as in {@link CommitResult.Refused}
   * @throws IllegalArgumentException if the length is below 1, or more than was asked for
   */
  CommitIntake openCommit(CommitHead head) throws FallbackException;

  /**
   * Ends leases without a Commit. Those that the client does not hold, or whose Commit is under
   * way, are ignored. Waits for no disk: the replicas are invalidated in the background.
   *
   * @param how what became of its writes, for each lease in order; a slot that none was ever sent
   *     to is free at once
   * @return the places, ascending, of those that this came too late for: they have ended, and not
   *     by a Commit, so that their host may be shut out for them (W8)
   * @throws IllegalArgumentException if there are not as many of these as leases
   */
  List<Integer> abort(String clientId, long incarnation, long[] leaseIds, List<SlotEnd> how);

  /**
   * HDFS is about to change a finalized block's file: takes the link away that it may have to be
   * recycled by, so that HDFS need not copy it first. Waits for the volume; throws nothing.
   */
  void beforeChange(BlockKey block);

  /** The storage directories looked at so far, with their slots. Waits for no disk. */
  List<SlotStatus> volumes();

  /**
   * A page of the leases there are now.
   *
   * @param after the last {@link WriteLeaseInfo#number} of the page before; 0 for the first page
   * @param max leases on a page, at least 1
   * @return by number, ascending; empty behind the last
   */
  List<WriteLeaseInfo> leases(long after, int max);

  /** What went wrong and how much was done. */
  WriteCounters counters();

  /**
   * Takes in storage directories that came, ends leases that ran out, lets slots out of quarantine,
   * fills and shrinks pools: all that is due, each volume's on its own thread. To be called again
   * and again, about once a second, by one thread at a time; throws nothing.
   */
  void upkeep();

  /** Begins nothing any more. Slots and links stay for the next incarnation. */
  @Override
  void close();
}
