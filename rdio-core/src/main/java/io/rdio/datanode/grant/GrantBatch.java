// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * One grant request at work. Every block that is not pinned is claimed by the first request that
 * asks for it, and pinned on the threads of its volume; the others wait for the outcome. No thread
 * waits for an answer: it is there when the last block is answered, or given up.
 *
 * <p>{@link #run} is for one thread; {@link #giveUp} may come from any, later.
 */
final class GrantBatch {
  /** A client that waits less than this must not have a volume refused to all others. */
  private static final long STALL_MIN_NANOS = 1_000_000_000L;

  private final Holder holder;
  private final BooleanSupplier cancelled;
  private final Admission admission;
  private final Volumes volumes;
  private final Pinner pinner;
  private final Map<Volume, List<Claim>> toPin = new LinkedHashMap<>();
  private final List<CompletableFuture<GrantResult>> answers = new ArrayList<>();
  private int claimed;

  GrantBatch(
      Holder holder,
      BooleanSupplier cancelled,
      Admission admission,
      Volumes volumes,
      Pinner pinner) {
    this.holder = holder;
    this.cancelled = cancelled;
    this.admission = admission;
    this.volumes = volumes;
    this.pinner = pinner;
  }

  /** Answers each block, in order; never fails. */
  CompletableFuture<List<GrantResult>> run(List<BlockAsk> asks) {
    for (BlockAsk ask : asks) {
      answers.add(answer(ask));
    }
    toPin.forEach(pinner::pin);
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<GrantResult> answer(BlockAsk ask) {
    try {
      admission.check(holder, ask, claimed);
      return shareOrClaim(new Demand(holder, ask.block(), ask.speculative()));
    } catch (Throwable e) {
      return CompletableFuture.completedFuture(admission.refusal(ask.block(), e));
    }
  }

  private CompletableFuture<GrantResult> shareOrClaim(Demand demand) {
    Claim mine = new Claim(demand, cancelled);
    Claim others = pinner.enter(mine);
    if (others != null) {
      return shareOutcome(others, demand);
    }
    boolean handedOn = false;
    try {
      GrantResult shared = admission.share(demand);
      if (shared != null) {
        mine.answer(shared);
      } else {
        Volume volume = volumes.of(demand.block());
        volume.access().check();
        toPin.computeIfAbsent(volume, unused -> new ArrayList<>()).add(mine);
        claimed++;
        handedOn = true;
      }
      return mine.outcome();
    } catch (Throwable e) {
      mine.answer(admission.refusal(demand.block(), e));
      return mine.outcome();
    } finally {
      if (!handedOn) {
        pinner.end(mine);
      }
    }
  }

  private CompletableFuture<GrantResult> shareOutcome(Claim others, Demand demand) {
    CompletableFuture<GrantResult> mine = new CompletableFuture<>();
    others.whenAnswered(
        outcome -> {
          if (mine.isDone()) {
            return; // given up
          }
          GrantResult result = outcome;
          if (outcome instanceof GrantResult.Granted) {
            GrantResult shared = admission.share(demand);
            result =
                shared != null
                    ? shared
                    : new GrantResult.Refused(
                        FallbackReason.REPLICA_CHANGED,
                        demand.block() + " was unpinned a moment ago");
          }
          if (!mine.complete(result)) {
            admission.takeBack(holder, result);
          }
        });
    return mine;
  }

  /**
   * Answers what is not answered yet: the client waits no longer.
   *
   * @param waitedNanos how long it did; a short time says nothing about the volume
   */
  void giveUp(long waitedNanos) {
    if (waitedNanos >= STALL_MIN_NANOS) {
      toPin.forEach(
          (volume, claims) -> {
            if (claims.stream().anyMatch(claim -> !claim.isAnswered())) {
              volume.access().stalls();
            }
          });
    }
    GrantResult stalled =
        new GrantResult.Refused(
            FallbackReason.VOLUME_STALLED, "not pinned within the client's time");
    answers.forEach(answer -> answer.complete(stalled));
  }
}
