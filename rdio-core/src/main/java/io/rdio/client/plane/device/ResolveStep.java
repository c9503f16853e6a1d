// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

/** What it takes to resolve a replica, in this order; inodes and extents come for each file. */
public enum ResolveStep {
  /** Whether the storage, which was found before, is still fit. */
  STORAGE,

  /**
   * A look at the journal: at its end, then at its start (R2), and at what was committed since the
   * last one. With the one behind, what is read between is of one moment (R6).
   */
  LOOK,

  /** The directories on the way, from the file system's root. */
  PATH,

  /** The names of the two files in their directory, and their inodes. */
  INODES,

  /** Where the two files lie. */
  EXTENTS,

  /** The meta file's header, which is data. */
  HEADER,

  /** Another look, behind all of it. */
  LOOK_BEHIND
}
