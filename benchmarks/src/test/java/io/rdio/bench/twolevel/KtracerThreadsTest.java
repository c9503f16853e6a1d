// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which threads are KTracer's. */
class KtracerThreadsTest {
  private final CountDownLatch worked = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);

  @Test
  void onlyThoseThatAreAliveCount() throws Exception {
    assertThat(KtracerThreads.areAlive()).isFalse();
    Thread tracer = new Thread(this::work, "rdio-evictions");
    tracer.setDaemon(true);
    tracer.start();
    assertThat(worked.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(KtracerThreads.areAlive()).isTrue();
    assertThat(KtracerThreads.cpuNanos()).isPositive();
    end.countDown();
    tracer.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(KtracerThreads.areAlive()).isFalse();
    assertThat(KtracerThreads.cpuNanos()).isZero();
  }

  private void work() {
    worked.countDown();
    try {
      assertThat(end.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
