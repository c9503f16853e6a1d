// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.IOException;
import java.util.List;

/**
 * For Jazzer: the bytes are numbers of a superblock, and what the tools of xfs say of it. What that
 * allocates is not looked at here: Jazzer itself allocates for each character that a pattern is
 * compared with.
 */
public final class XfsImageTarget {
  private XfsImageTarget() {}

  public static List<byte[]> seeds() {
    return XfsImageFuzzTest.WHOLE;
  }

  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    XfsImageFuzzTest.read(data);
  }
}
