// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.grant.Holder;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.MetaHeader;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * One agent's right to write to one slot. What changes of it is changed by {@link WriteLeases}
 * only, under its lock.
 */
final class WriteLease {
  final long id;
  final long number;
  final Lent lent;
  final CompletableFuture<CommitResult> committed = new CompletableFuture<>();
  long expiryNanos;
  boolean committing;

  /** Since when its replica is gone, if it is lost. */
  long lostSinceNanos;

  boolean lost;

  /**
   * What is lent, to whom, and for what.
   *
   * @param staged the slot's file in {@code leased/}
   * @param hostKey by which the holder's host can be shut out (W8); {@link AgentFences#NOBODY} if
   *     it cannot be
   * @param bytes that were asked for
   * @param spec of the CRCs that Commit brings
   */
  record Lent(
      SlotVolume volume,
      Holder holder,
      RbwReplica replica,
      Slot slot,
      Path staged,
      long hostKey,
      long bytes,
      ChecksumSpec spec) {

    BlockKey block() {
      return replica.block();
    }

    /** Bytes of the CRCs of so many bytes of the block. */
    long crcBytes(long length) {
      return spec.metaLength(length) - MetaHeader.LENGTH;
    }
  }

  WriteLease(long id, long number, Lent lent, long expiryNanos) {
    this.id = id;
    this.number = number;
    this.lent = lent;
    this.expiryNanos = expiryNanos;
  }
}
