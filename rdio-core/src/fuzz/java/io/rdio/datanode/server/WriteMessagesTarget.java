// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import java.util.List;

/** For Jazzer: the bytes are a message of the write plane, the first says which. */
public final class WriteMessagesTarget {
  private WriteMessagesTarget() {}

  public static List<byte[]> seeds() {
    return WriteMessagesFuzzTest.seeds();
  }

  public static void fuzzerTestOneInput(byte[] data) {
    WriteMessagesFuzzTest.check(data);
  }
}
