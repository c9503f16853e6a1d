// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import org.jspecify.annotations.Nullable;

/**
 * One of the targets that the NameNode named for a block cannot be written to past its DataNode.
 * Nothing of the block was written anywhere: without that target it is worth another try.
 */
public final class TargetRefusedException extends FallbackException {
  private final int target;

  /**
   * @param target which one, counted from 0 in the order in which they were named
   */
  public TargetRefusedException(int target, FallbackReason reason, String detail) {
    this(target, reason, detail, null);
  }

  /**
   * @param target which one, counted from 0 in the order in which they were named
   */
  public TargetRefusedException(
      int target, FallbackReason reason, String detail, @Nullable Throwable cause) {
    super(reason, detail, cause);
    this.target = target;
  }

  /** Which one, counted from 0 in the order in which they were named. */
  public int target() {
    return target;
  }
}
