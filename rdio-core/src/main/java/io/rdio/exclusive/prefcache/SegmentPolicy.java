// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/** Which segment goes when there is no room for another. */
public enum SegmentPolicy {
  /** The paper's: the one that was admitted first. */
  FIFO,
  /**
   * S3-FIFO: a segment that nobody reads from goes early, one that was read from, or that comes
   * back soon after it went, stays longer.
   */
  S3_FIFO
}
