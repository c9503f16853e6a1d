// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.fuzz.TearDown;
import java.io.IOException;
import java.util.List;

/** For Jazzer: the bytes are a meta file. */
public final class MetaHeaderTarget {
  private MetaHeaderTarget() {}

  /** Version 1, CRC32C of 512 bytes each. */
  public static List<byte[]> seeds() {
    return List.of(new byte[] {0, 1, 2, 0, 0, 2, 0});
  }

  public static void fuzzerInitialize() throws IOException {
    MetaHeaderFuzzTest.makeFile();
  }

  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    MetaHeaderFuzzTest.check(data);
  }

  public static void fuzzerTearDown() {
    TearDown.run(MetaHeaderFuzzTest::deleteFile);
  }
}
