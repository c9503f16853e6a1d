// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

<<<<<<< HEAD
/**
 * An agent that is to end does so when it is told, and not when it has waited for somebody else.
 */
=======
/** An agent that is told to end does so, and does not wait for somebody else before. */
>>>>>>> c428e444 (An agent that is closed ends at once: it waited out up to half a second for one more connection)
class AgentEndTest {
  private static final int TIMES = 20;

  /** Half of what it takes where each end waits for half a second. */
  private static final Duration BOUND = Duration.ofSeconds(5);

  @Test
  void endsWithoutWaitingForOneMoreConnection(@TempDir Path directory) throws Exception {
    TestBlock block = new TestBlock(7, 100_000, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
    long nanos = 0;
    try (AgentFixture agent = new AgentFixture(block, directory)) {
      for (int i = 0; i < TIMES; i++) {
        long begun = System.nanoTime();
        agent.stop();
        nanos += System.nanoTime() - begun;
        agent.start();
      }
    }
    assertThat(Duration.ofNanos(nanos)).isLessThan(BOUND);
  }
}
