// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.SlotGrant;

/** A slot that a DataNode lent this client for one replica, from the plane that asked for it. */
public interface WriteSlot {
  /** The block that is to be written, with its token. */
  TokenedBlock block();

  /** Where it may be written, and what must be there before. */
  SlotGrant grant();

  /**
   * Until when the lease was believed when it was granted, on the plane's clock: counted from
   * before the request, less the margin.
   */
  long deadlineNanos();
}
