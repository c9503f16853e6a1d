// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.block.BlockKey;
import java.util.HashSet;
import java.util.Set;

/**
 * One pinned version of one block, shared by all its leases. What is not final belongs to {@link
 * LeaseTable} and is touched under its lock only.
 */
final class Pin {
  private final PinnedMap map;
  private final Replica replica;
  private final PinnedFiles files;
  private final Object inode;
  private final Volume volume;

  final Set<HeldLease> leases = new HashSet<>();

  /** Nothing is granted or renewed on it any more. */
  boolean recalled;

  /** HDFS let the replica go, so that only the pin keeps its space. */
  boolean deleted;

  /**
   * @param inode file key of the pinned block file
   */
  Pin(PinnedMap map, Replica replica, PinnedFiles files, Object inode, Volume volume) {
    this.map = map;
    this.replica = replica;
    this.files = files;
    this.inode = inode;
    this.volume = volume;
  }

  BlockKey block() {
    return map.block();
  }

  PinnedMap map() {
    return map;
  }

  /** As it was when it was pinned. */
  Replica replica() {
    return replica;
  }

  PinnedFiles files() {
    return files;
  }

  Object inode() {
    return inode;
  }

  Volume volume() {
    return volume;
  }

  long bytes() {
    return map.blockLength() + map.metaLength();
  }
}
