// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.Witness;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Pins blocks for the first time, a batch of one volume at once: link, make durable, look again,
 * map. The order is what makes a grant safe:
 *
 * <ul>
 *   <li>Linked before looked at again: {@link ReplicaSource#find} is a barrier, so a change of the
 *       replica either shows in the second look or comes later, sees two links, and copies.
 *   <li>Durable before granted: a power loss must take back neither the links nor the allocation of
 *       the extents, for a client goes on reading them. FIEMAP_FLAG_SYNC writes data but commits no
 *       allocation, hence the fsync of both files. The directory is synced once for the batch.
 *   <li>Witnessed once all of that is on the device: whoever sees the witness there sees the blocks
 *       too, and not an older copy of the device.
 *   <li>Mapped last, through the links: no other file can be meant.
 * </ul>
 *
 * <p>Whatever fails, and with whatever kind of {@code Throwable}, leaves no link behind, no place
 * taken, and nothing of the block in the {@link LeaseTable}. Thread-safe.
 */
final class Pinner {
  private static final String UNDOING = "undoing a pin";
  private static final String ENDING = "ending a claim";

  private final ReplicaSource source;
  private final ExtentMapper mapper;
  private final LeaseTable table;
  private final Recalls recalls;
  private final Admission admission;
  private final Unpinner unpinner;
  private final GrantCounters counters;
  private final ConcurrentHashMap<BlockKey, Claim> claims = new ConcurrentHashMap<>();

  Pinner(
      ReplicaSource source,
      ExtentMapper mapper,
      LeaseTable table,
      Recalls recalls,
      Admission admission,
      Unpinner unpinner,
      GrantCounters counters) {
    this.source = source;
    this.mapper = mapper;
    this.table = table;
    this.recalls = recalls;
    this.admission = admission;
    this.unpinner = unpinner;
    this.counters = counters;
  }

  /** A step of pinning one block. */
  @FunctionalInterface
  private interface Step {
    void take(PinAttempt attempt) throws FallbackException, IOException;
  }

  /** Enters a claim; when there is one of the same block already, gives that one. */
  @Nullable Claim enter(Claim claim) {
    return claims.putIfAbsent(claim.block(), claim);
  }

  /** Nobody works on the claim any more; the block may be claimed anew. */
  void end(Claim claim) {
    claims.remove(claim.block(), claim);
    claim.end();
  }

  /**
   * Pins the claimed blocks, which all lie on this volume, on the volume's threads, and gives each
   * claim's client its lease. Every claim is answered in the end, unless the volume hangs for ever.
   * Throws nothing.
   */
  void pin(Volume volume, List<Claim> batch) {
    boolean queued = false;
    try {
      volume.pinning().execute(() -> pinNow(volume, batch));
      queued = true;
    } catch (RejectedExecutionException e) {
      refuse(
          batch,
          new FallbackException(
              FallbackReason.VOLUME_STALLED,
              "too many grants wait for " + volume.storage().volumeRoot()));
    } catch (Throwable e) {
      refuse(batch, e);
    } finally {
      if (!queued) {
        batch.forEach(claim -> counters.survive(ENDING, () -> end(claim)));
      }
    }
  }

  private void refuse(List<Claim> batch, Throwable why) {
    for (Claim claim : batch) {
      if (!claim.isAnswered()) {
        claim.answer(admission.refusal(claim.block(), why));
      }
    }
  }

  private void pinNow(Volume volume, List<Claim> batch) {
    List<PinAttempt> attempts = new ArrayList<>();
    try {
      volume.access().openIfDue();
      for (Claim claim : batch) {
        begin(claim, volume, attempts);
      }
      each(attempts, PinAttempt::link);
      each(attempts, PinAttempt::sync);
      if (attempts.stream().anyMatch(attempt -> !attempt.isOver())) {
        Seal seal = Seal.of(volume);
        each(attempts, attempt -> finish(attempt, seal));
      }
    } catch (Throwable e) {
      refuse(batch, e);
    } finally {
      attempts.forEach(this::undo);
      for (Claim claim : batch) {
        counters.survive(ENDING, () -> claim.answer(Admission.NOT_ANSWERED));
        counters.survive(ENDING, () -> end(claim));
      }
      volume.access().moves();
    }
  }

  /** Finds the replica and takes a place for its pin. */
  private void begin(Claim claim, Volume volume, List<PinAttempt> attempts) {
    boolean reserved = false;
    boolean begun = false;
    try {
      Replica replica = findFor(claim, volume);
      if (!table.reserve(volume, claim.demand())) {
        throw full(volume, claim.demand());
      }
      reserved = true;
      attempts.add(new PinAttempt(claim, replica, volume));
      begun = true;
    } catch (Throwable e) {
      claim.answer(admission.refusal(claim.block(), e));
    } finally {
      if (reserved && !begun) {
        table.unreserve(volume, claim.demand());
      }
      if (!begun) {
        end(claim); // others need not wait for the rest of the batch
      }
    }
  }

  private Replica findFor(Claim claim, Volume volume) throws FallbackException {
    if (!claim.isWanted()) {
      throw new FallbackException(FallbackReason.PIN_FAILED, "the client waits no longer");
    }
    volume.device(); // nothing is pinned where nothing can be granted
    Replica replica = source.find(claim.block());
    if (!replica.storageId().equals(volume.storage().storageId())
        || !replica.volumeRoot().equals(volume.storage().volumeRoot())) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED, claim.block() + " moved to " + replica.volumeRoot());
    }
    return replica;
  }

  private FallbackException full(Volume volume, Demand demand) {
    String next = recalls.makeRoom(volume, demand) ? "one is on its way" : "none is due here";
    return new FallbackException(
        FallbackReason.PIN_LIMIT,
        "all pins on " + volume.storage().volumeRoot() + " are taken; " + next);
  }

  /** What became of a batch's links on one volume: durable, with a witness of it, or a failure. */
  private record Seal(@Nullable Witness witness, @Nullable Throwable failure) {
    /** Syncs once. A second try after a failure could succeed wrongly. */
    static Seal of(Volume volume) {
      try {
        GrantFaultInjector.get().beforeSeal(volume.storage().volumeRoot());
        volume.directory().syncLinks();
        return new Seal(volume.access().opened().witness().advance(), null);
      } catch (Throwable e) {
        return new Seal(null, e);
      }
    }

    Witness witnessOrThrow() throws IOException {
      if (witness == null) {
        if (failure instanceof IOException failed) {
          throw failed;
        }
        throw new IllegalStateException("the links could not be made durable", failure);
      }
      return witness;
    }
  }

  private void finish(PinAttempt attempt, Seal seal) throws FallbackException, IOException {
    Witness witness = seal.witnessOrThrow();
    Object inode = attempt.recheck(source);
    Pin pin = attempt.map(mapper, inode, witness);
    Claim claim = attempt.claim();
    if (claim.isAnswered()) {
      throw new FallbackException(FallbackReason.PIN_FAILED, "the client waits no longer");
    }
    GrantFaultInjector.get().beforeInsert(claim.block());
    GrantResult.Granted granted = table.insert(pin, claim.demand());
    attempt.end();
    try {
      admission.pinned(claim.block());
      claim.answer(granted);
    } finally {
      if (!claim.has(granted)) {
        admission.takeBack(claim.demand().holder(), granted);
      }
    }
  }

  /** Takes a step with each block; where it fails, leaves nothing behind and refuses the claim. */
  private void each(List<PinAttempt> attempts, Step step) {
    for (PinAttempt attempt : attempts) {
      if (attempt.isOver()) {
        continue;
      }
      try {
        step.take(attempt);
      } catch (Throwable e) {
        undo(attempt);
        attempt.claim().answer(admission.refusal(attempt.claim().block(), e));
      }
    }
  }

  /** Unless that was done, or the lease table has it. Throws nothing. */
  private void undo(PinAttempt attempt) {
    if (attempt.isOver()) {
      return;
    }
    attempt.end();
    counters.survive(UNDOING, () -> unpinner.remove(attempt.volume(), attempt.files()));
    counters.survive(UNDOING, () -> table.unreserve(attempt.volume(), attempt.claim().demand()));
  }
}
