// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The duty of one request to pin a block. Other requests for the block wait for its outcome and
 * then share the pin, or the refusal. It bars the block until {@link Pinner#end}, also when it was
 * answered long before because its volume hangs: no second attempt joins one that is stuck.
 * Thread-safe.
 */
final class Claim {
  private final Demand demand;
  private final BooleanSupplier cancelled;
  private final CompletableFuture<GrantResult> outcome;
  private final CompletableFuture<Claim> ended = new CompletableFuture<>();

  /**
   * @param cancelled whether nobody waits for the answer any more
   * @param outcome takes the answer; whoever else completes it gives the claim up
   */
  Claim(Demand demand, BooleanSupplier cancelled, CompletableFuture<GrantResult> outcome) {
    this.demand = demand;
    this.cancelled = cancelled;
    this.outcome = outcome;
  }

  BlockKey block() {
    return demand.block();
  }

  /** Of the request that pins it. */
  Demand demand() {
    return demand;
  }

  boolean isAnswered() {
    return outcome.isDone();
  }

  /** Whether pinning it would serve anybody. */
  boolean isWanted() {
    return !outcome.isDone() && !cancelled.getAsBoolean();
  }

  /**
   * Answers it.
   *
   * @return false, without effect, when it was answered before
   */
  boolean answer(GrantResult result) {
    return outcome.complete(result);
  }

  /** Tells the answer, at once if there is one. The listener must not throw. */
  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  void whenAnswered(Consumer<GrantResult> listener) {
    outcome.thenAccept(listener);
  }

  /** Whether this very answer was given, also where giving it ended in an {@code Error}. */
  boolean has(GrantResult result) {
    return outcome.getNow(Admission.NOT_ANSWERED) == result;
  }

  /** For {@link Pinner}, which has let the next claim of the block in. */
  void end() {
    ended.complete(this);
  }

  /** Tells when the block may be claimed anew, at once if it may. The listener must not throw. */
  @SuppressWarnings("FutureReturnValueIgnored") // what it does is all that is wanted of it
  void whenEnded(Runnable listener) {
    ended.thenAccept(claim -> listener.run());
  }
}
