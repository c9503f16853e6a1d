// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import org.jspecify.annotations.Nullable;

/**
 * What a metadata plane answered for one block: a map, which this client then holds, or a refusal.
 * Exactly one of the two is there.
 */
public record MapOutcome(@Nullable FileMap map, @Nullable FallbackException refusal) {
  /** A map whose guard passes now. */
  public static MapOutcome granted(FileMap map) {
    return new MapOutcome(map, null);
  }

  /** Why there is none. */
  public static MapOutcome refused(FallbackException refusal) {
    return new MapOutcome(null, refusal);
  }
}
