// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.block.BlockKey;
import java.util.concurrent.CompletableFuture;

/**
 * The duty of one request to pin a block. Other requests for the block wait for its outcome and
 * then share the pin, or the refusal.
 */
final class Claim {
  private final Demand demand;
  private final CompletableFuture<GrantResult> outcome = new CompletableFuture<>();

  Claim(Demand demand) {
    this.demand = demand;
  }

  BlockKey block() {
    return demand.block();
  }

  /** Of the request that pins it. */
  Demand demand() {
    return demand;
  }

  /** Without effect when it was answered before. */
  void answer(GrantResult result) {
    outcome.complete(result);
  }

  /** Waits for the answer, which the owner gives in any case. */
  GrantResult await() {
    return outcome.join();
  }
}
