// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One grant request at work. Every block that is not pinned is claimed by the first request that
 * asks for it; the others wait until that one has pinned it. A request answers all its own claims
 * before it waits for those of others, so requests never wait for each other in a circle. Confined
 * to one thread.
 */
final class GrantBatch {
  private final Holder holder;
  private final ReplicaSource source;
  private final LeaseTable table;
  private final Recalls recalls;
  private final ConcurrentHashMap<BlockKey, Claim> claims;
  private final List<Claim> own = new ArrayList<>();
  private final List<Claim> toPin = new ArrayList<>();
  private final List<Supplier<GrantResult>> answers = new ArrayList<>();

  /**
   * @param claims of all requests under way
   */
  GrantBatch(
      Holder holder,
      ReplicaSource source,
      LeaseTable table,
      Recalls recalls,
      ConcurrentHashMap<BlockKey, Claim> claims) {
    this.holder = holder;
    this.source = source;
    this.table = table;
    this.recalls = recalls;
    this.claims = claims;
  }

  /** Answers each block, in order. */
  List<GrantResult> run(List<BlockAsk> asks, Pinner pinner, BooleanSupplier cancelled) {
    try {
      asks.forEach(this::add);
      pinner.pin(toPin, cancelled);
    } finally {
      for (Claim claim : own) {
        claim.answer(new GrantResult.Refused(FallbackReason.INTERNAL_ERROR, "not answered"));
        claims.remove(claim.block(), claim);
      }
    }
    return answers.stream().map(Supplier::get).toList();
  }

  private void add(BlockAsk ask) {
    try {
      source.checkAccess(ask.block(), ask.token());
      recallIfDeleted(ask.block());
      table.admit(holder.address(), ask.block(), toPin.size());
      answers.add(shareOrClaim(new Demand(holder, ask.block(), ask.speculative())));
    } catch (FallbackException e) {
      GrantResult refused = GrantResult.Refused.of(e);
      answers.add(() -> refused);
    }
  }

  /** The sweep would find it too, only later. */
  private void recallIfDeleted(BlockKey block) {
    Pin pin = table.pin(block);
    if (pin != null && !source.isCurrent(pin.replica())) {
      recalls.recall(pin, true);
    }
  }

  private Supplier<GrantResult> shareOrClaim(Demand demand) {
    Claim mine = new Claim(demand);
    Claim others = claims.putIfAbsent(demand.block(), mine);
    if (others != null) {
      return () -> shareOutcome(others, demand);
    }
    own.add(mine);
    try {
      GrantResult shared = table.share(demand);
      if (shared == null) {
        toPin.add(mine);
      } else {
        mine.answer(shared);
      }
    } catch (FallbackException e) {
      mine.answer(GrantResult.Refused.of(e));
    }
    return mine::await;
  }

  private GrantResult shareOutcome(Claim claim, Demand demand) {
    GrantResult outcome = claim.await();
    if (outcome instanceof GrantResult.Refused) {
      return outcome;
    }
    try {
      GrantResult shared = table.share(demand);
      return shared != null
          ? shared
          : new GrantResult.Refused(
              FallbackReason.REPLICA_CHANGED, claim.block() + " was unpinned a moment ago");
    } catch (FallbackException e) {
      return GrantResult.Refused.of(e);
    }
  }
}
