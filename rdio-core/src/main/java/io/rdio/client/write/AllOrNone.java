// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.wire.SlotAsk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Opens a replica on each of several targets at the same time, or on none. One whose device does
 * not answer in time counts as refused, and is given up when it turns out to be open.
 */
final class AllOrNone {
  private final @Nullable BlockWriter[] opened;
  private final @Nullable FallbackException[] refusals;

  /** Whether nobody wants any more of them. */
  @GuardedBy("this")
  private boolean isOver;

  private AllOrNone(int targets) {
    this.opened = new @Nullable BlockWriter[targets];
    this.refusals = new @Nullable FallbackException[targets];
  }

  /**
   * Opens them.
   *
   * @param asks one for each target
   * @throws TargetRefusedException if one of them cannot be written to, which says which
   * @throws FallbackException if nothing can be written, whatever the targets
   */
  static List<BlockWriter> open(
      BlockWriters writers, Executor parallel, List<GroupWriter.Target> targets, List<SlotAsk> asks)
      throws FallbackException {
    AllOrNone outcomes = new AllOrNone(targets.size());
    boolean isOpen = false;
    try {
      long all = (1L << targets.size()) - 1;
      Round round =
          Round.begin(parallel, all, i -> outcomes.open(i, writers, targets.get(i), asks.get(i)));
      long late = round.finish(all, writers.deviceTimeout().toNanos());
      outcomes.requireNone(late, writers);
      isOpen = true;
      return outcomes.all();
    } finally {
      if (!isOpen) {
        outcomes.close();
      }
    }
  }

  private void open(int i, BlockWriters writers, GroupWriter.Target target, SlotAsk ask) {
    try {
      add(i, writers.open(target.node(), target.token(), ask));
    } catch (FallbackException e) {
      refuse(i, e);
    }
  }

  private void add(int i, BlockWriter writer) {
    if (!isAdded(i, writer)) {
      writer.close();
    }
  }

  private synchronized boolean isAdded(int i, BlockWriter writer) {
    opened[i] = writer;
    return !isOver;
  }

  private synchronized void refuse(int i, FallbackException refusal) {
    refusals[i] = refusal;
  }

  private synchronized List<BlockWriter> all() {
    return List.of(opened);
  }

  private void close() {
    for (BlockWriter writer : given()) {
      writer.close();
    }
  }

  private synchronized List<BlockWriter> given() {
    isOver = true;
    List<BlockWriter> given = new ArrayList<>();
    for (BlockWriter writer : opened) {
      if (writer != null) {
        given.add(writer);
      }
    }
    return given;
  }

  private synchronized void requireNone(long late, BlockWriters writers) throws FallbackException {
    for (FallbackException refusal : refusals) {
      if (refusal != null && !isOfTarget(refusal.reason())) {
        throw refusal;
      }
    }
    for (int i = 0; i < refusals.length; i++) {
      FallbackException refusal = refusals[i];
      if (refusal == null && (late >>> i & 1) != 0) {
        refusal = writers.late("opening a slot");
      }
      if (refusal != null) {
        throw new TargetRefusedException(i, refusal.reason(), refusal.detail(), refusal);
      }
    }
  }

  /** False for what would be said of any other target, too. */
  private static boolean isOfTarget(FallbackReason reason) {
    FallbackPolicy policy = reason.policy();
    boolean isOfHost =
        policy.scope() == FallbackPolicy.Scope.HOST
            && policy.speaker() == FallbackPolicy.Speaker.CLIENT;
    return !isOfHost && reason != FallbackReason.INTERRUPTED;
  }
}
