// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.IOException;

/** A reservation cannot be had, read or taken away; the message says what, where and how to fix. */
public final class ReservationException extends IOException {
  private static final long serialVersionUID = 1;

  /** What stands in the way. */
  public enum Obstacle {
    /** Another host has it. */
    CONFLICT,
    /** The namespace, or what leads to it, takes no reservations. */
    UNSUPPORTED,
    /** This process may not ask. */
    DENIED,
    /** It did not work, which may be otherwise the next time. */
    FAILED
  }

  private final Obstacle obstacle;

  public ReservationException(Obstacle obstacle, String message) {
    super(message);
    this.obstacle = obstacle;
  }

  public Obstacle obstacle() {
    return obstacle;
  }
}
