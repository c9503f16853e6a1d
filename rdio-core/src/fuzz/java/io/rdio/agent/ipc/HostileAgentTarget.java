// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.agent.Script;
import io.rdio.fuzz.TearDown;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** For Jazzer: half of the bytes are what a reader does, the others what the agent answers. */
public final class HostileAgentTarget {
  /** Less than where chance makes up the bytes: a call waits for it many times. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private HostileAgentTarget() {}

  public static List<byte[]> seeds() {
    return Script.seeds(1000);
  }

  public static void fuzzerInitialize() throws Exception {
    HostileAgentFuzzTest.load();
  }

  public static void fuzzerTestOneInput(byte[] data) throws Exception {
    int half = data.length / 2;
    Script reader = new Script(Arrays.copyOf(data, half));
    Script agent = new Script(Arrays.copyOfRange(data, half, data.length));
    HostileAgentFuzzTest.play(reader, agent, PATIENCE_NANOS);
  }

  public static void fuzzerTearDown() {
    TearDown.run(HostileAgentFuzzTest::end);
  }
}
