// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.ext4.Ext4Exception;

/**
 * What says where the two files of a replica lie: their inodes and their extent trees. Immutable.
 */
record Footprint(TracedFile block, TracedFile meta) {
  /** Whether no transaction that was caught up with touched it behind a position of the journal. */
  boolean isUntouched(OpenVolume volume, long since) {
    return block.isUntouched(volume.journal(), since) && meta.isUntouched(volume.journal(), since);
  }

  /**
   * Whether both files are what they were, as far as the journal has caught up (R3). What makes no
   * sense any more is not what it was.
   *
   * @throws FallbackException what the device came to
   */
  boolean isUnchanged(OpenVolume volume, String device) throws FallbackException {
    try {
      return block.isUnchanged(volume.volume()) && meta.isUnchanged(volume.volume());
    } catch (Ext4Exception e) {
      if (e.kind() == Ext4Exception.Kind.IO) {
        throw Refusals.ofVolume(device, e);
      }
      return false;
    }
  }

  int heapBytes() {
    return 24 + block.heapBytes() + meta.heapBytes();
  }
}
