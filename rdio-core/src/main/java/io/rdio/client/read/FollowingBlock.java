// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.block.BlockRequest;

/**
 * The block behind the one that a reader reads, where a long run will most probably go on. Safe for
 * any number of threads.
 */
final class FollowingBlock {
  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verifyChecksum;

  /** Whether its map was asked for, and its first bytes were. */
  private volatile boolean mapped;

  private volatile boolean begun;
  private volatile boolean byDevice = true;

  /**
   * @param request of the block in front of it
   * @param verifyChecksum whether its reader will check bytes against their CRCs
   */
  FollowingBlock(ReadContext context, BlockRequest request, boolean verifyChecksum) {
    this.context = context;
    this.request = request;
    this.verifyChecksum = verifyChecksum;
  }

  /** Whether the run will most probably go on there by the device; it will until this is said. */
  void goesOnByDevice(boolean probably) {
    byDevice = probably;
  }

  /**
   * Has its map loaded, and its first bytes read when the run comes near and goes on by the device;
   * once each.
   *
   * @param left bytes to the end of the block in front of it
   * @param lead how near that is, and how much is read; more than 0
   */
  void prepare(long left, int lead) {
    if (begun) {
      return;
    }
    if (!mapped) {
      mapped = true;
      context.maps().following(request);
    }
    if (byDevice && left <= lead) {
      begun = true;
      context.blocksAhead().beginBehind(request, verifyChecksum, lead);
    }
  }
}
