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
    Thread tracer = start("rdio-evictions");
    assertThat(KtracerThreads.areAlive()).isTrue();
    assertThat(KtracerThreads.cpuNanos()).isPositive();
    end(tracer);
    assertThat(KtracerThreads.areAlive()).isFalse();
    assertThat(KtracerThreads.cpuNanos()).isZero();
  }

  @Test
  void whatSendsForThemIsWaitedForButNotCounted() throws Exception {
    Thread sender = start("rdio-client-net-1");
    assertThat(KtracerThreads.areAlive()).isTrue();
    assertThat(KtracerThreads.cpuNanos()).isZero();
    end(sender);
    assertThat(KtracerThreads.areAlive()).isFalse();
  }

  private Thread start(String name) throws InterruptedException {
    Thread thread = new Thread(this::work, name);
    thread.setDaemon(true);
    thread.start();
    assertThat(worked.await(1, TimeUnit.MINUTES)).isTrue();
    return thread;
  }

  private void end(Thread thread) throws InterruptedException {
    end.countDown();
    thread.join(TimeUnit.MINUTES.toMillis(1));
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
