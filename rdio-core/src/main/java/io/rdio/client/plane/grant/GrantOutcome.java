// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import org.jspecify.annotations.Nullable;

/**
 * What a DataNode answered for one block: a map, whose lease this client then holds, or a refusal.
 * Exactly one of the two is there.
 */
public record GrantOutcome(@Nullable FileMap map, @Nullable FallbackException refusal) {
  static GrantOutcome granted(FileMap map) {
    return new GrantOutcome(map, null);
  }

  static GrantOutcome refused(FallbackException refusal) {
    return new GrantOutcome(null, refusal);
  }
}
