// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent that is told to end does so, and does not wait for somebody else before. */
class AgentEndTest {
  private static final int TIMES = 9;

  /** Half of what each end takes that waits for a connection. */
  private static final Duration BOUND = Duration.ofMillis(250);

  /** By the median, for a machine may stand still for a moment. */
  @Test
  void endsWithoutWaitingForOneMoreConnection(@TempDir Path directory) throws Exception {
    TestBlock block = new TestBlock(7, 100_000, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
    long[] nanos = new long[TIMES];
    try (AgentFixture agent = new AgentFixture(block, directory)) {
      for (int i = 0; i < TIMES; i++) {
        long begun = System.nanoTime();
        agent.stop();
        nanos[i] = System.nanoTime() - begun;
        agent.start();
      }
    }
    Arrays.sort(nanos);
    assertThat(Duration.ofNanos(nanos[TIMES / 2])).isLessThan(BOUND);
  }
}
