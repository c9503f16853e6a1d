// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes Commits in: gives each its room and its thread, or the answer that it got before.
 * Thread-safe.
 */
final class CommitDesk {
  private final ReplicaWriter writer;
  private final WriteLeases leases;
  private final WriteCommit commit;
  private final WriteThreads threads;
  private final WriteCounters counters;
  private final WriteVolumes volumes;
  private final AtomicInteger looks = new AtomicInteger();

  CommitDesk(
      ReplicaWriter writer,
      WriteLeases leases,
      WriteCommit commit,
      WriteThreads threads,
      WriteCounters counters,
      WriteVolumes volumes) {
    this.writer = writer;
    this.leases = leases;
    this.commit = commit;
    this.threads = threads;
    this.counters = counters;
    this.volumes = volumes;
  }

  /**
   * See {@link WriteRoom#openCommit}.
   *
   * @param isOfThisStart whether the lease's id may mean one of ours
   */
  CommitIntake open(CommitHead head, boolean isOfThisStart) throws FallbackException {
    if (head.length() < 1 || head.length() > WriteRoom.BLOCK_MAX) {
      throw new IllegalArgumentException(
          "length of " + head.length() + " is not in 1.." + WriteRoom.BLOCK_MAX);
    }
    if (leases.isClosed()) {
      throw new FallbackException(FallbackReason.DATANODE_NOT_READY, "the plugin ends");
    }
    WriteLease lease = isOfThisStart ? leases.find(head.clientId(), head.leaseId()) : null;
    if (lease != null) {
      return ofLease(head, lease);
    }
    return new RepeatedCommit(() -> isOfThisStart ? answerOfBefore(head) : look(head));
  }

  private CompletableFuture<CommitResult> answerOfBefore(CommitHead head) {
    CommitResult before = leases.answer(head.clientId(), head.leaseId());
    return before == null ? look(head) : CompletableFuture.completedFuture(before);
  }

  private CommitIntake ofLease(CommitHead head, WriteLease lease) throws FallbackException {
    WriteLease.Lent lent = lease.lent;
    if (!lent.block().equals(head.block())) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED, "the lease is on " + lent.block());
    }
    if (head.length() > lent.bytes()) {
      throw new IllegalArgumentException(
          "length of " + head.length() + ", but " + lent.bytes() + " bytes were asked for");
    }
    if (leases.isCommitting(lease)) {
      return new RepeatedCommit(() -> lease.committed);
    }
    long bytes = lent.crcBytes(head.length());
    lent.volume().account().beginCommit(bytes);
    return new GatheredCommit(
        Math.toIntExact(bytes),
        crcs -> run(lease, head, crcs),
        () -> lent.volume().account().endCommit(bytes));
  }

  private CompletableFuture<CommitResult> run(WriteLease lease, CommitHead head, byte[] crcs) {
    if (!leases.beginCommit(lease)) {
      return leases.isCommitting(lease) ? lease.committed : answerOfBefore(head);
    }
    String name = "rdio-commit-" + head.block().blockId();
    try {
      threads.commit(name, () -> end(lease, commit.run(lease.lent, head.length(), crcs), head));
    } catch (Throwable e) {
      counters.failed("beginning to commit " + head.block(), e);
      end(lease, commit.notBegun(lease.lent), head);
    }
    return lease.committed;
  }

  private void end(WriteLease lease, WriteCommit.Outcome outcome, CommitHead head) {
    leases.endCommit(lease, outcome.result(), !outcome.isLeftToHdfs());
    count(outcome.result(), head);
    lease.lent.volume().inUse();
    lease.committed.complete(outcome.result());
    // Behind a block that was committed nothing is due but a slot, for which its writer would wait.
    if (outcome.result() instanceof CommitResult.Refused) {
      counters.survive("looking after a volume", () -> volumes.requestUpkeep(lease.lent.volume()));
    }
  }

  private void count(CommitResult result, CommitHead head) {
    if (result instanceof CommitResult.Refused refused) {
      counters.refused(refused.reason());
    } else {
      counters.countCommitted(head.length());
    }
  }

  /** Whether HDFS has the block by now, of whichever Commit: one that is asked again. */
  private CompletableFuture<CommitResult> look(CommitHead head) {
    CompletableFuture<CommitResult> answer = new CompletableFuture<>();
    if (looks.incrementAndGet() > WriteRoom.COMMITS_AT_ONCE) {
      looks.decrementAndGet();
      answer.complete(
          new CommitResult.Refused(
              FallbackReason.DATANODE_BUSY, "as many look for their blocks as may"));
      return answer;
    }
    try {
      threads.commit(
          "rdio-committed-" + head.block().blockId(),
          () -> {
            CommitResult found = found(head);
            looks.decrementAndGet();
            answer.complete(found);
          });
    } catch (Throwable e) {
      counters.failed("looking for " + head.block(), e);
      looks.decrementAndGet();
      answer.complete(
          new CommitResult.Refused(FallbackReason.INTERNAL_ERROR, head.block() + ": " + e));
    }
    return answer;
  }

  private CommitResult found(CommitHead head) {
    try {
      Replica replica = writer.finalized(head.block());
      if (replica == null || replica.length() != head.length()) {
        return new CommitResult.Refused(
            FallbackReason.REPLICA_CHANGED,
            head.block() + " has no lease here, and is not finalized with that length");
      }
      new ReplicaNames().sync(replica);
      return writer.notifyReceived(replica)
          ? new CommitResult.Committed()
          : new CommitResult.Refused(
              FallbackReason.REPLICA_CHANGED, head.block() + " went with its volume just now");
    } catch (FallbackException e) {
      return CommitResult.Refused.of(e);
    } catch (IOException e) {
      return new CommitResult.Refused(FallbackReason.PIN_FAILED, head.block() + ": " + e);
    } catch (Throwable e) {
      counters.failed("looking for " + head.block(), e);
      return new CommitResult.Refused(FallbackReason.INTERNAL_ERROR, head.block() + ": " + e);
    }
  }
}
