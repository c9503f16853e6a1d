// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;

/** The answer for one block of a grant request. */
public sealed interface GrantResult {
  /** A file map and the lease on it, whose term began when this was made. */
  record Granted(long leaseId, PinnedMap map) implements GrantResult {}

  /** Why there is none. */
  record Refused(FallbackReason reason, String detail) implements GrantResult {
    static Refused of(FallbackException refusal) {
      return new Refused(refusal.reason(), refusal.detail());
    }
  }
}
