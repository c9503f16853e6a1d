// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.client.write.WriterFaultInjector;
import io.rdio.hdfs.cli.Rdio;
import java.io.IOException;

/** An agent in a JVM of its own whose steps are counted. */
final class SteppedAgent {
  /** What {@link CountedSteps} calls it. */
  static final String PROCESS = "agent";

  private SteppedAgent() {}

  /** The arguments are those of {@code rdio}. */
  public static void main(String[] args) throws IOException {
    WriterFaultInjector.set(new SteppedPorts(CountedSteps.ofThisJvm(PROCESS)));
    Rdio.main(args);
  }
}
