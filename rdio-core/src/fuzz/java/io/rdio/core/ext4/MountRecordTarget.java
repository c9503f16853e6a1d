// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.util.List;

/** For Jazzer: the bytes are a mount record. */
public final class MountRecordTarget {
  private MountRecordTarget() {}

  public static List<byte[]> seeds() {
    return MountRecordFuzzTest.WHOLE;
  }

  public static void fuzzerTestOneInput(byte[] data) {
    MountRecordFuzzTest.check(data);
  }
}
