// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import io.rdio.fuzz.TearDown;
import java.util.List;

/** For Jazzer: the bytes are what a process does to the agent. */
public final class HostileProcessTarget {
  private HostileProcessTarget() {}

  public static List<byte[]> seeds() {
    return Script.seeds(1000);
  }

  public static void fuzzerInitialize() throws Exception {
    HostileProcessFuzzTest.start();
  }

  public static void fuzzerTestOneInput(byte[] data) throws Exception {
    HostileProcessFuzzTest.play(data);
  }

  public static void fuzzerTearDown() {
    TearDown.run(HostileProcessFuzzTest::end);
  }
}
