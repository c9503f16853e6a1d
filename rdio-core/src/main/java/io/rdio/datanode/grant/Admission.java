// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.ReplicaSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything about one block of a request that waits for no disk: the right to read it, the caps,
 * the lease on a pin that exists, and taking a lease back that reaches nobody. Thread-safe.
 */
final class Admission {
  private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

  /** Made beforehand: for answers when there is not even memory for a better one. */
  static final GrantResult.Refused NOT_ANSWERED =
      new GrantResult.Refused(FallbackReason.INTERNAL_ERROR, "not answered");

  private final ReplicaSource source;
  private final LeaseTable table;
  private final Recalls recalls;
  private final Unpinner unpinner;
  private final GrantCounters counters;

  Admission(
      ReplicaSource source,
      LeaseTable table,
      Recalls recalls,
      Unpinner unpinner,
      GrantCounters counters) {
    this.source = source;
    this.table = table;
    this.recalls = recalls;
    this.unpinner = unpinner;
    this.counters = counters;
  }

  /**
   * Whether a client may be granted a block at all now.
   *
   * @param underWay leases that its request is already going to get
   */
  void check(Holder holder, BlockAsk ask, int underWay) throws FallbackException {
    source.checkAccess(ask.block(), ask.token());
    Pin pin = table.pin(ask.block());
    // The sweep would find it too, only later.
    if (pin != null && !source.isCurrent(pin.replica())) {
      recalls.recall(pin, true);
    }
    table.admit(holder.address(), ask.block(), underWay);
  }

  /** A lease on the pin that the block has, or a refusal; null when it has no pin. */
  @Nullable GrantResult share(Demand demand) {
    try {
      return table.share(demand);
    } catch (Throwable e) {
      return refusal(demand.block(), e);
    }
  }

  /** A block was pinned that had no pin. */
  void pinned(BlockKey block) {
    counters.pinned();
    GrantFaultInjector.get().afterInsert(block);
  }

  /** Safe because the answer was not sent: the client never knew of this lease. */
  void takeBack(Holder holder, GrantResult result) {
    if (result instanceof GrantResult.Granted granted) {
      unpinner.unpin(table.giveBack(holder.clientId(), new long[] {granted.leaseId()}));
    }
  }

  /** What a failure of whatever kind means for a block; throws nothing. */
  GrantResult.Refused refusal(BlockKey block, Throwable failure) {
    try {
      if (failure instanceof FallbackException refusal) {
        return GrantResult.Refused.of(refusal);
      }
      if (failure instanceof IOException) {
        LOG.warn("{} cannot be pinned", block, failure);
        return new GrantResult.Refused(FallbackReason.PIN_FAILED, failure.toString());
      }
      counters.failed("granting " + block, failure);
      return new GrantResult.Refused(FallbackReason.INTERNAL_ERROR, failure.toString());
    } catch (Throwable another) {
      return NOT_ANSWERED;
    }
  }
}
