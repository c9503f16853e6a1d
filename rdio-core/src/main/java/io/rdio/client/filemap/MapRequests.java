// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.block.BlockKey;
import jdk.jfr.FlightRecorder;

/** Which blocks' maps readers ask for, in flight recordings that want to know. Thread-safe. */
final class MapRequests {
  private static final boolean POSSIBLE = isPossible();

  private MapRequests() {}

  /** A Java runtime can be put together without the flight recorder. */
  private static boolean isPossible() {
    try {
      Class.forName("jdk.jfr.FlightRecorder", false, MapRequests.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * A reader asks for a block's map. Allocates nothing where nobody wants to know, and where nobody
   * ever recorded in this JVM it does not load the event: with its first one the recorder gets
   * ready, which takes a young JVM a tenth of a second and more. Until then it costs the volatile
   * read of whether the recorder is.
   */
  static void asked(BlockKey block) {
    if (POSSIBLE && FlightRecorder.isInitialized() && MapRequest.isRecorded()) {
      MapRequest.note(block.blockId());
    }
  }
}
