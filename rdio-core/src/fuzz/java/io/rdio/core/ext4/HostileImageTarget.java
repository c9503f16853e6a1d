// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** For Jazzer: the first byte picks an image, with the checksums made to fit if it is negative. */
public final class HostileImageTarget {
  private HostileImageTarget() {}

  public static List<byte[]> seeds() {
    return List.of(
        new byte[] {0, 0, 0, 0, 0},
        new byte[] {7, 1, 2, 3, 4, 5, 6, 7, 8},
        new byte[] {-1, 1, 2, 3, 4, 5, 6, 7, 8},
        new byte[] {-2, 1, 2, 3, 4, 5, 6, 7, 8});
  }

  public static void fuzzerInitialize() throws IOException, Ext4Exception {
    HostileImageFuzzTest.start();
  }

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] edits = Arrays.copyOfRange(data, 1, data.length);
    if (data[0] < 0) {
      HostileImageFuzzTest.checkSigned(data[0], edits);
    } else {
      HostileImageFuzzTest.check(data[0], edits);
    }
  }
}
