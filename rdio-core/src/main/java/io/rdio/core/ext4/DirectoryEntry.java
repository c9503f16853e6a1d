// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

/**
 * A name in a directory.
 *
 * @param name its bytes read as UTF-8; what is not UTF-8 is replaced
 * @param type what the directory says of it; UNKNOWN where directories do not (filetype is off)
 */
public record DirectoryEntry(String name, long inode, InodeType type) {
  /** Whether it is the directory itself or the one above, which each directory has. */
  public boolean isDots() {
    return name.equals(".") || name.equals("..");
  }
}
