// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One grant request at work. Every block that is not pinned is claimed by the first request that
 * asks for it, and pinned on the threads of its volume; the others wait for the outcome. What the
 * first was refused for its own sake is not theirs: each of them then claims the block itself, once
 * at most. No thread waits for an answer: it is there when the last block is answered, or given up.
 *
 * <p>{@link #run} is for one thread; {@link #giveUp} and {@link #abandon} may come from any, later.
 */
final class GrantBatch {
  /** A client that waits less than this must not have a volume refused to all others. */
  private static final long STALL_MIN_NANOS = 1_000_000_000L;

  private final Holder holder;
  private final BooleanSupplier cancelled;
  private final Admission admission;
  private final Volumes volumes;
  private final Pinner pinner;
  private final List<CompletableFuture<GrantResult>> answers = new ArrayList<>();
  private final Map<Volume, List<Claim>> toPin = new LinkedHashMap<>();
  private int claimed;

  // Those that others' bad luck brought about later, on other threads, too.
  private final Queue<Placed> placed = new ConcurrentLinkedQueue<>();

  /** A claim that is served on a volume's threads. */
  private record Placed(Volume volume, Claim claim) {}

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

  /**
   * Answers each block, in order.
   *
   * @return never fails
   */
  CompletableFuture<List<GrantResult>> run(List<BlockAsk> asks) {
    boolean handedOn = false;
    try {
      asks.forEach(this::begin);
      handedOn = true;
    } finally {
      if (!handedOn) {
        abandon();
        toPin.values().forEach(claims -> claims.forEach(pinner::end));
      }
    }
    toPin.forEach(pinner::pin);
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }

  private void begin(BlockAsk ask) {
    CompletableFuture<GrantResult> answer = new CompletableFuture<>();
    answers.add(answer);
    Demand demand = new Demand(holder, ask.block(), ask.speculative());
    Claim mine = new Claim(demand, cancelled, answer);
    boolean over = false;
    try {
      admission.check(holder, ask, claimed);
      Volume volume = claim(mine, true);
      if (volume != null) {
        toPin.computeIfAbsent(volume, unused -> new ArrayList<>()).add(mine);
        claimed++;
      }
      over = true;
    } catch (Throwable e) {
      mine.answer(admission.refusal(ask.block(), e));
    } finally {
      if (!over) {
        pinner.end(mine);
      }
    }
  }

  /**
   * Enters a claim, unless it is answered at once, or will be by another's outcome.
   *
   * @param mayClaimAnew whether it may try again if that outcome is only the other's
   * @return the volume on whose threads it is to be served; null if on none
   */
  private @Nullable Volume claim(Claim mine, boolean mayClaimAnew) {
    Claim others = pinner.enter(mine);
    if (others != null) {
      others.whenAnswered(outcome -> answered(mine, others, outcome, mayClaimAnew));
      return null;
    }
    boolean handedOn = false;
    try {
      GrantResult shared = admission.share(mine.demand());
      if (shared != null) {
        answer(mine, shared);
        return null;
      }
      Volume volume = volumes.of(mine.block());
      volume.access().check();
      placed.add(new Placed(volume, mine));
      handedOn = true;
      return volume;
    } catch (Throwable e) {
      mine.answer(admission.refusal(mine.block(), e));
      return null;
    } finally {
      if (!handedOn) {
        pinner.end(mine);
      }
    }
  }

  /** Another request's claim of the block is answered. */
  private void answered(Claim mine, Claim others, GrantResult outcome, boolean mayClaimAnew) {
    if (mine.isAnswered()) {
      return; // given up
    }
    try {
      if (outcome instanceof GrantResult.Granted) {
        GrantResult shared = admission.share(mine.demand());
        answer(
            mine,
            shared != null
                ? shared
                : new GrantResult.Refused(
                    FallbackReason.REPLICA_CHANGED, mine.block() + " was unpinned a moment ago"));
      } else if (mayClaimAnew && isOnlyTheOthers(((GrantResult.Refused) outcome).reason())) {
        volumes.of(mine.block()).access().check(); // else one that hangs may never end the claim
        others.whenEnded(() -> claimAnew(mine));
      } else {
        mine.answer(outcome);
      }
    } catch (Throwable e) {
      mine.answer(admission.refusal(mine.block(), e));
    }
  }

  /**
   * Whether it says something of the client that asked, or of its address, not of the block. That
   * is about two requests that meet, and no {@link io.rdio.core.FallbackPolicy} says it.
   */
  private static boolean isOnlyTheOthers(FallbackReason reason) {
    return switch (reason) { // without a default, so that nobody forgets a new one
      case PIN_LIMIT, PIN_FAILED, VOLUME_STALLED -> true;
      case DISABLED,
          CONFIGURATION_INVALID,
          NATIVE_LIBRARY_UNAVAILABLE,
          ASYNC_IO_UNAVAILABLE,
          HADOOP_UNSUPPORTED,
          FILE_UNDER_CONSTRUCTION,
          LOCATION_UNKNOWN,
          FIRST_READ,
          MAP_LOADING,
          DATANODE_FASTER,
          PROCESS_YOUNG,
          JVM_TOO_OLD,
          AGENT_UNAVAILABLE,
          AGENT_BUSY,
          METADATA_PLANE_UNREACHABLE,
          TLS_REQUIRED,
          TLS_FAILED,
          METADATA_PLANE_BACKOFF,
          DATANODE_BUSY,
          METADATA_PLANE_ERROR,
          METADATA_PLANE_UNAUTHENTIC,
          SESSION_UNKNOWN,
          PROTOCOL_MISMATCH,
          DATANODE_NOT_READY,
          TOKEN_REFUSED,
          ENCRYPTION_REQUIRED,
          REPLICA_NOT_FOUND,
          REPLICA_NOT_FINALIZED,
          REPLICA_CHANGED,
          STORAGE_UNSUPPORTED,
          FILE_SYSTEM_UNSUPPORTED,
          DEVICE_UNSUPPORTED,
          EXTENTS_UNMAPPABLE,
          RECALL_PENDING,
          LEASE_LIMIT,
          DEVICE_NOT_FOUND,
          DEVICE_AMBIGUOUS,
          DEVICE_PERMISSION,
          DEVICE_MISMATCH,
          DEVICE_IO_ERROR,
          DEVICE_TIMEOUT,
          METADATA_UNREADABLE,
          XFS_NEEDS_DATANODE,
          FILE_SMALL,
          WRITE_UNSUPPORTED,
          WRITE_UNPROVEN,
          SLOTS_EXHAUSTED,
          WRITE_UNFENCED,
          WRITE_UNBOUNDED,
          VOLUME_UNFENCED,
          BUFFERS_EXHAUSTED,
          LEASE_EXPIRED,
          CHECKSUM_MISMATCH,
          CHECKSUM_UNSUPPORTED,
          REPLICA_QUARANTINED,
          ACCESSOR_CLOSED,
          INTERRUPTED,
          INTERNAL_ERROR ->
          false;
    };
  }

  /** On the thread that ended the other's claim. */
  private void claimAnew(Claim mine) {
    if (mine.isAnswered()) {
      return;
    }
    Volume volume = claim(mine, false);
    if (volume != null) {
      pinner.pin(volume, List.of(mine));
    }
  }

  private void answer(Claim mine, GrantResult result) {
    if (!mine.answer(result)) {
      admission.takeBack(holder, result);
    }
  }

  /**
   * Answers what is not answered yet: the client waits no longer.
   *
   * @param waitedNanos how long it did; a short time says nothing about the volume
   */
  void giveUp(long waitedNanos) {
    if (waitedNanos >= STALL_MIN_NANOS) {
      for (Placed each : placed) {
        if (!each.claim().isAnswered()) {
          each.volume().access().stalls();
        }
      }
    }
    GrantResult stalled =
        new GrantResult.Refused(
            FallbackReason.VOLUME_STALLED, "not pinned within the client's time");
    answers.forEach(answer -> answer.complete(stalled));
  }

  /** Nobody will ever hear of the answers: leaves no lease of them. */
  void abandon() {
    for (CompletableFuture<GrantResult> answer : answers) {
      if (!answer.complete(Admission.NOT_ANSWERED)) {
        admission.takeBack(holder, answer.join());
      }
    }
  }
}
