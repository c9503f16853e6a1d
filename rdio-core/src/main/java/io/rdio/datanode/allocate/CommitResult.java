// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;

/**
 * The answer to a Commit. The same whenever it is asked again, but for a refusal by DATANODE_BUSY.
 */
public sealed interface CommitResult {
  /** The replica is finalized, and its names are durable. */
  record Committed() implements CommitResult {}

  /**
   * Why it is not committed. The lease is ended, but with DATANODE_BUSY: then nothing was done yet,
   * the lease goes on, and Commit may be asked again.
   *
   * @param reason REPLICA_CHANGED (lease, incarnation or block do not fit, recovery has the
   *     replica, or HDFS has its volume no more), CHECKSUM_MISMATCH (what was read back is not what
   *     the CRCs are of), DATANODE_BUSY, DATANODE_NOT_READY, PIN_FAILED (an error of the disk or of
   *     HDFS, also where it takes the volume out just then), EXTENTS_UNMAPPABLE or INTERNAL_ERROR
   */
  record Refused(FallbackReason reason, String detail) implements CommitResult {
    static Refused of(FallbackException refusal) {
      return new Refused(refusal.reason(), refusal.detail());
    }
  }
}
