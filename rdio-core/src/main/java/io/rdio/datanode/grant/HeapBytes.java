// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.extent.ExtentList;
import java.nio.file.Path;

/**
 * What leases and pins take of the heap, with their share of the tables that find them, in a JVM
 * with compressed references. A test compares these figures with the heap itself.
 */
final class HeapBytes {
  /** A lease; bench leases measures it. */
  static final int LEASE = 96;

  /** A pin without paths and extents: itself, its map, its replica, its places in the tables. */
  private static final long PIN = 272;

  /** Of the replica's two files and of the two links. */
  private static final int PATHS = 4;

  /** A path without volume and block pool: 40 for the objects, the rest are its characters. */
  private static final long PATH = 128;

  private static final int CLIENT = 160;
  private static final int EXTENT = 16;

  private HeapBytes() {}

  /** Paths are taken as long as they may be: to ask for their text would make them keep it. */
  static long pin(PinnedMap map, Path volumeRoot) {
    long path = PATH + volumeRoot.toString().length() + map.block().poolId().length();
    return PIN + extents(map.blockExtents()) + extents(map.metaExtents()) + PATHS * path;
  }

  /** With its name, of which each character may take two bytes. */
  static long client(String id) {
    return CLIENT + 2L * id.length();
  }

  private static long extents(ExtentList extents) {
    return (long) EXTENT * extents.count();
  }
}
