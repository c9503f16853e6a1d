// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.ext4.Inode;
import java.util.Optional;
import java.util.Set;

/**
 * Whom files of a DataNode may belong to, and so who may say what a storage is: anybody who may
 * make a directory on a volume could call it a storage otherwise. Immutable.
 *
 * @param uids of the users that DataNodes run as; root is one of them always
 */
public record StorageOwners(Set<Integer> uids) {
  public StorageOwners {
    uids = Set.copyOf(uids);
  }

  /** Why a file or directory of a storage is not to be believed; empty if it is. */
  Optional<String> whyNotInside(Inode inode) {
    if (inode.uid() != 0 && !uids.contains(inode.uid())) {
      return Optional.of(inode + " belongs to user " + inode.uid() + ", who runs no DataNode");
    }
    return inode.isWritableByOthers()
        ? Optional.of("anybody may write to " + inode)
        : Optional.empty();
  }

  /** Why nothing below a directory that is in no storage is to be believed; empty if it is. */
  Optional<String> whyNotOnTheWay(Inode directory) {
    Optional<String> inside = whyNotInside(directory);
    if (inside.isPresent()) {
      return inside;
    }
    return directory.isGroupWritable() && directory.gid() != 0
        ? Optional.of("group " + directory.gid() + " may write to " + directory)
        : Optional.empty();
  }
}
