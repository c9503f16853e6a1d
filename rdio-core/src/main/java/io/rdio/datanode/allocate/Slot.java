// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.extent.ExtentList;
import java.util.HexFormat;

/**
 * A file of written extents that is to become a block file, in one of its stays in the pool.
 *
 * @param number its own on its volume, for as long as the file lives
 * @param nonce of this stay: a new one each time that it comes to the pool
 * @param bytes of the file: whole units
 * @param extents where it lies; each begins with a stamp while it is in the pool
 */
record Slot(long number, long nonce, long bytes, ExtentList extents) {
  /** As in the names of files: pool, and leased behind it. */
  String name() {
    return name(number, nonce);
  }

  static String name(long number, long nonce) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(number) + "." + hex.toHexDigits(nonce);
  }
}
