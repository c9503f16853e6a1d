// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import java.io.IOException;
import java.util.List;

/** For Jazzer: the bytes are a storage's VERSION file. */
public final class StorageVersionTarget {
  private StorageVersionTarget() {}

  public static List<byte[]> seeds() {
    return StorageVersionFuzzTest.WHOLE;
  }

  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    StorageVersionFuzzTest.check(data);
  }
}
