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
  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;

  public StorageOwners {
    uids = Set.copyOf(uids);
  }

  /**
   * A file or directory, by what says who may change it.
   *
   * @param name for messages
   */
  public record Owned(String name, int uid, int gid, int mode) {
    static Owned of(Inode inode) {
      return new Owned(inode.toString(), inode.uid(), inode.gid(), inode.mode());
    }
  }

  /** As {@link #whyNotInside(Owned)}. */
  Optional<String> whyNotInside(Inode inode) {
    return whyNotInside(Owned.of(inode));
  }

  /** As {@link #whyNotOnTheWay(Owned)}. */
  Optional<String> whyNotOnTheWay(Inode directory) {
    return whyNotOnTheWay(Owned.of(directory));
  }

  /** Why a file or directory of a storage is not to be believed; empty if it is. */
  public Optional<String> whyNotInside(Owned file) {
    if (file.uid() != 0 && !uids.contains(file.uid())) {
      return Optional.of(file.name() + " belongs to user " + file.uid() + ", who runs no DataNode");
    }
    return (file.mode() & OTHERS_WRITE) != 0
        ? Optional.of("anybody may write to " + file.name())
        : Optional.empty();
  }

  /** Why nothing below a directory that is in no storage is to be believed; empty if it is. */
  public Optional<String> whyNotOnTheWay(Owned directory) {
    Optional<String> inside = whyNotInside(directory);
    if (inside.isPresent()) {
      return inside;
    }
    return (directory.mode() & GROUP_WRITES) != 0 && directory.gid() != 0
        ? Optional.of("group " + directory.gid() + " may write to " + directory.name())
        : Optional.empty();
  }
}
