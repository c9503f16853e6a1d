// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.core.FallbackException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** For Jazzer: the bytes are what a DataNode answers to who asks for a map. */
public final class GrantReplyTarget {
  private GrantReplyTarget() {}

  /** What an honest DataNode answers. */
  public static List<byte[]> seeds() throws FallbackException {
    AtomicReference<byte[]> last = new AtomicReference<>();
    try (FileMapCacheFixture fixture = new FileMapCacheFixture()) {
      fixture.file(List.of(1L), "a");
      fixture.dataNode("a").garbleBytes =
          reply -> {
            last.set(reply);
            return reply;
          };
      fixture.get(1);
      return List.of(last.get());
    }
  }

  public static void fuzzerTestOneInput(byte[] data) {
    // Its hello still makes sense: with a wrong one nobody would look at the map.
    GrantReplyFuzzTest.check(
        dataNode -> dataNode.beforeGrantAnswer = () -> dataNode.garbleBytes = reply -> data);
  }
}
