// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.wire.SlotAsk;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Opens a replica on each of several targets at the same time, or on none. */
final class AllOrNone {
  private AllOrNone() {}

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
    @Nullable BlockWriter[] opened = new @Nullable BlockWriter[targets.size()];
    @Nullable FallbackException[] refusals = new @Nullable FallbackException[targets.size()];
    boolean isOpen = false;
    try {
      Round.run(
          parallel,
          (1L << targets.size()) - 1,
          i -> {
            GroupWriter.Target target = targets.get(i);
            try {
              opened[i] = writers.open(target.node(), target.token(), asks.get(i));
            } catch (FallbackException e) {
              refusals[i] = e;
            }
          });
      requireNone(refusals);
      isOpen = true;
      return List.of(opened);
    } finally {
      if (!isOpen) {
        Arrays.stream(opened).filter(writer -> writer != null).forEach(BlockWriter::close);
      }
    }
  }

  private static void requireNone(@Nullable FallbackException[] refusals) throws FallbackException {
    for (FallbackException refusal : refusals) {
      if (refusal != null && !isOfTarget(refusal.reason())) {
        throw refusal;
      }
    }
    for (int i = 0; i < refusals.length; i++) {
      FallbackException refusal = refusals[i];
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
