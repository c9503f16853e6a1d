// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.Witness;
import io.rdio.core.lease.LeaseClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pins blocks for the first time, a batch at once: link, make durable, look again, map. The order
 * is what makes a grant safe:
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
 * <p>Whatever fails leaves no link behind, and nothing of the block in the {@link LeaseTable}.
 */
final class Pinner {
  private static final Logger LOG = LoggerFactory.getLogger(Pinner.class);

  private final ReplicaSource source;
  private final ExtentMapper mapper;
  private final Volumes volumes;
  private final LeaseTable table;
  private final Recalls recalls;
  private final GrantCounters counters;
  private final LeaseClock clock;
  private final long holdNanos;
  private final String namePrefix;
  private final AtomicLong lastName = new AtomicLong();

  Pinner(
      ReplicaSource source,
      ExtentMapper mapper,
      Volumes volumes,
      LeaseTable table,
      Recalls recalls,
      GrantCounters counters,
      LeaseClock clock,
      long holdNanos,
      long incarnation) {
    this.source = source;
    this.mapper = mapper;
    this.volumes = volumes;
    this.table = table;
    this.recalls = recalls;
    this.counters = counters;
    this.clock = clock;
    this.holdNanos = holdNanos;
    this.namePrefix = Long.toHexString(incarnation);
  }

  /** A step of pinning one block. */
  @FunctionalInterface
  private interface Step {
    void take() throws FallbackException, IOException;
  }

  /**
   * Pins the claimed blocks and gives the client its lease on each. Every claim is answered when
   * this returns.
   *
   * @param cancelled whether nobody waits for the answer any more; then the rest is given up
   */
  void pin(List<Claim> claims, BooleanSupplier cancelled) {
    List<PinAttempt> batch = new ArrayList<>();
    for (Claim claim : claims) {
      refusing(claim, () -> batch.add(link(claim, cancelled)));
    }
    batch.removeIf(attempt -> !done(attempt, () -> PinDirectory.syncFiles(attempt.files())));
    Map<Volume, Seal> seals = seal(batch);
    batch.removeIf(attempt -> !done(attempt, () -> finish(attempt, seals)));
  }

  private PinAttempt link(Claim claim, BooleanSupplier cancelled)
      throws FallbackException, IOException {
    if (cancelled.getAsBoolean()) {
      throw new FallbackException(FallbackReason.PIN_FAILED, "the client waits no longer");
    }
    Replica replica = source.find(claim.block());
    Volume volume = volumes.of(replica);
    volume.device(); // nothing is pinned where nothing can be granted
    if (!table.reserve(volume, claim.demand())) {
      throw full(volume, claim.demand());
    }
    boolean linked = false;
    try {
      PinAttempt attempt = PinAttempt.link(claim, replica, volume, name(claim.block()));
      linked = true;
      return attempt;
    } finally {
      if (!linked) {
        table.unreserve(volume, claim.demand());
      }
    }
  }

  private FallbackException full(Volume volume, Demand demand) {
    String next = recalls.makeRoom(volume, demand) ? "one is on its way" : "none is due here";
    return new FallbackException(
        FallbackReason.PIN_LIMIT,
        "all pins on " + volume.storage().volumeRoot() + " are taken; " + next);
  }

  private String name(BlockKey block) {
    return String.join(
        ".",
        block.poolId(),
        Long.toString(block.blockId()),
        Long.toString(block.generationStamp()),
        namePrefix,
        Long.toString(lastName.incrementAndGet()));
  }

  /** What became of a batch's links on one volume: durable, with a witness of it, or a failure. */
  private record Seal(@Nullable Witness witness, @Nullable IOException failure) {
    /** Syncs once. A second try after a failure could succeed wrongly. */
    static Seal of(Volume volume) {
      try {
        volume.directory().syncLinks();
        return new Seal(volume.witnessFile().advance(), null);
      } catch (IOException e) {
        return new Seal(null, e);
      }
    }

    Witness witnessOrThrow() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return Objects.requireNonNull(witness, "what did not fail has a witness");
    }
  }

  private static Map<Volume, Seal> seal(List<PinAttempt> batch) {
    Map<Volume, Seal> seals = new HashMap<>();
    for (PinAttempt attempt : batch) {
      seals.computeIfAbsent(attempt.volume(), Seal::of);
    }
    return seals;
  }

  private void finish(PinAttempt attempt, Map<Volume, Seal> seals)
      throws FallbackException, IOException {
    Seal seal = Objects.requireNonNull(seals.get(attempt.volume()), "every volume was sealed");
    Witness witness = seal.witnessOrThrow();
    Object inode = attempt.recheck(source);
    Pin pin = attempt.map(mapper, inode, witness);
    GrantResult granted = table.insert(pin, attempt.claim().demand());
    counters.pinned();
    attempt.claim().answer(granted);
  }

  /** Takes a step; when it fails, leaves nothing behind and refuses the claim. */
  private boolean done(PinAttempt attempt, Step step) {
    if (refusing(attempt.claim(), step)) {
      return true;
    }
    undo(attempt);
    return false;
  }

  private void undo(PinAttempt attempt) {
    try {
      attempt.files().unlink();
    } catch (IOException e) {
      LOG.warn("{} cannot be removed; tried again later", attempt.files(), e);
      attempt.volume().leftovers().keep(attempt.files(), clock.nanos(), holdNanos);
    } finally {
      table.unreserve(attempt.volume(), attempt.claim().demand());
    }
  }

  private static boolean refusing(Claim claim, Step step) {
    try {
      step.take();
      return true;
    } catch (FallbackException e) {
      claim.answer(GrantResult.Refused.of(e));
    } catch (IOException e) {
      LOG.warn("{} cannot be pinned", claim.block(), e);
      claim.answer(new GrantResult.Refused(FallbackReason.PIN_FAILED, e.toString()));
    } catch (RuntimeException e) {
      LOG.error("{} cannot be pinned", claim.block(), e);
      claim.answer(new GrantResult.Refused(FallbackReason.INTERNAL_ERROR, e.toString()));
    }
    return false;
  }
}
