// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.block.BlockKey;

/** Which blocks' maps readers ask for, in flight recordings that want to know. Thread-safe. */
final class MapRequests {
  private static final boolean POSSIBLE = isPossible();

  private MapRequests() {}

  /** A Java runtime can be put together without the flight recorder. */
  private static boolean isPossible() {
    try {
      Class.forName("jdk.jfr.Event", false, MapRequests.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** A reader asks for a block's map. Allocates nothing where nobody wants to know. */
  static void asked(BlockKey block) {
    if (POSSIBLE && MapRequest.isRecorded()) {
      MapRequest.note(block.blockId());
    }
  }
}
