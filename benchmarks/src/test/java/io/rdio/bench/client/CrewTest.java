// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Crew.Effort;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CrewTest {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int COUNT = 2;
  private static final Duration WORK = Duration.ofMillis(20);

  private static void workFor(Duration cpu) {
    long end = THREADS.getCurrentThreadCpuTime() + cpu.toNanos();
    while (THREADS.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whatItsThreadsUseIsKnownBesideWhatTheProcessDoes() throws IOException {
    Effort effort = Crew.run(COUNT, thread -> workFor(WORK));
    double least = COUNT * WORK.toNanos() / 1e9;
    assertThat(effort.threadCpuSeconds())
        .isGreaterThanOrEqualTo(least)
        .as("no thread has more than one processor")
        .isLessThan(1.1 * COUNT * effort.seconds());
  }

  @Test
  void whatOthersUseIsNotTheirs() throws IOException {
    Effort effort =
        Crew.run(
            1,
            thread -> {
              Thread other = new Thread(() -> workFor(Duration.ofMillis(200)));
              other.start();
              try {
                other.join();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            });
    assertThat(effort.threadCpuSeconds()).isLessThan(0.1);
  }
}
