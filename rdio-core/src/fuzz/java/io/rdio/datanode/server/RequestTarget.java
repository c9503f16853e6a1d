// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import java.util.List;

/** For Jazzer: the bytes are what a DataNode is asked. */
public final class RequestTarget {
  private RequestTarget() {}

  public static List<byte[]> seeds() {
    return List.of(RequestFuzzTest.good());
  }

  public static void fuzzerTestOneInput(byte[] data) {
    RequestFuzzTest.check(data);
  }
}
