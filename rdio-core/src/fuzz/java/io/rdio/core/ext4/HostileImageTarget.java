// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.util.List;

/** For Jazzer: the first byte picks an image, the others damage it. */
public final class HostileImageTarget {
  private HostileImageTarget() {}

  public static List<byte[]> seeds() {
    return List.of(new byte[] {0, 0, 0, 0, 0}, new byte[] {7, 1, 2, 3, 4, 5, 6, 7, 8});
  }

  public static void fuzzerInitialize() throws IOException, Ext4Exception {
    HostileImageFuzzTest.start();
  }

  public static void fuzzerTestOneInput(byte[] data) throws Ext4Exception {
    if (data.length > 0) {
      HostileImageFuzzTest.check(data[0], java.util.Arrays.copyOfRange(data, 1, data.length));
    }
  }
}
