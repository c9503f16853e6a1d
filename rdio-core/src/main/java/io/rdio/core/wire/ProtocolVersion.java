// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

/** The versions of the metadata plane's protocol. A version that was released never changes. */
public final class ProtocolVersion {
  /** The first one. */
  public static final int OLDEST = 1;

  /** The newest one that this code speaks. */
  public static final int CURRENT = 3;

  /** The first one where block tokens are proved and never sent. */
  public static final int PROOFS = 2;

  /** The first one with leases to write by. */
  public static final int WRITES = 3;

  private ProtocolVersion() {}
}
