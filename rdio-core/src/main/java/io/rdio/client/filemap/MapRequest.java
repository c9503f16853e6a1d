// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A reader asks for a block's map: an event of Java's flight recorder, which a recording has only
 * if it asks for that by name. Not loaded in a JVM in which nobody records ({@link MapRequests}).
 */
@Name("io.rdio.FileMapRequest")
@Label("FileMap request")
@Description("A reader asks the FileMap cache for a block's map.")
@Category("RDIO")
@Enabled(false)
@StackTrace(false)
final class MapRequest extends Event {
  private static final MapRequest ANY = new MapRequest();

  @Label("Block")
  @Description("N of blk_N")
  long block;

  private MapRequest() {}

  /** Whether a recording asks for these. */
  static boolean isRecorded() {
    return ANY.isEnabled();
  }

  /** Has them note that a block was asked for. */
  static void note(long blockId) {
    MapRequest request = new MapRequest();
    request.block = blockId;
    request.commit();
  }
}
