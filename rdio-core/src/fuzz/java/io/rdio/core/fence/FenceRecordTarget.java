// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.util.List;

/** For Jazzer: the bytes are a fence record. */
public final class FenceRecordTarget {
  private FenceRecordTarget() {}

  public static List<byte[]> seeds() {
    return FenceRecordFuzzTest.WHOLE;
  }

  public static void fuzzerTestOneInput(byte[] data) {
    FenceRecordFuzzTest.check(data);
  }
}
