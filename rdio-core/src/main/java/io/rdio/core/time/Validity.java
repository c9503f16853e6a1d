// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

/** Whether something may still be relied on. Once it does not admit, it never does again. */
public interface Validity {
  /**
   * Whether somebody may begin to rely on it.
   *
   * @param nowNanos on the clock that it runs on
   */
  boolean admits(long nowNanos);
}
