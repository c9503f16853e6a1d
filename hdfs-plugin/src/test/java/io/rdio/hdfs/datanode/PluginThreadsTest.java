// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.testing.Patience;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where the plugin's work is done. */
final class PluginThreadsTest {
  private static final Path ONE = Path.of("/one");
  private static final Path OTHER = Path.of("/other");

  @Test
  void interruptOfATasksThreadGroupReachesNoThread() throws Exception {
    ThreadGroup task = new ThreadGroup("a task");
    BlockingQueue<Thread> used = new LinkedBlockingQueue<>();
    CountDownLatch end = new CountDownLatch(1);
    List<CompletableFuture<Boolean>> interrupted = new CopyOnWriteArrayList<>();
    try (PluginThreads threads = new PluginThreads()) {
      Runnable work =
          () -> {
            CompletableFuture<Boolean> mine = new CompletableFuture<>();
            interrupted.add(mine);
            used.add(Thread.currentThread());
            try {
              end.await();
              mine.complete(false);
            } catch (InterruptedException e) {
              mine.complete(true);
            }
          };
      Thread starter =
          new Thread(
              task,
              () -> {
                threads.pinning(ONE).execute(work);
                threads.upkeep(ONE).execute(work);
                threads.often(work, 1_000);
                threads.sweeping(work, 1_000);
              });
      starter.start();
      Patience.join(starter);
      for (int i = 0; i < 4; i++) {
        assertThat(used.poll(60, TimeUnit.SECONDS)).isNotNull();
      }
      task.interrupt();
      end.countDown();
      for (CompletableFuture<Boolean> each : interrupted) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isFalse();
      }
    }
  }

  /** Recovery waits for the end of the thread that commits a block. */
  @Test
  void eachCommitHasAThreadThatEndsWithIt() throws Exception {
    try (PluginThreads threads = new PluginThreads()) {
      CompletableFuture<Thread> one = new CompletableFuture<>();
      CompletableFuture<Thread> other = new CompletableFuture<>();

      threads.commit("one", () -> one.complete(Thread.currentThread()));
      threads.commit("other", () -> other.complete(Thread.currentThread()));

      assertThat(one.get(60, TimeUnit.SECONDS)).isNotSameAs(other.get(60, TimeUnit.SECONDS));
      one.get().join(10_000);
      assertThat(one.get().isAlive()).isFalse();
    }
  }

  @Test
  void errorEndsNoLoop() throws Exception {
    CountDownLatch often = new CountDownLatch(3);
    CountDownLatch sweeping = new CountDownLatch(3);
    try (PluginThreads threads = new PluginThreads()) {
      threads.often(() -> fail(often), 1);
      threads.sweeping(() -> fail(sweeping), 1);

      assertThat(often.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(sweeping.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void fail(CountDownLatch runs) {
    runs.countDown();
    throw new OutOfMemoryError("thrown by the test");
  }

  @Test
  void volumeThatHangsTakesABoundedNumberOfThreadsAndNoneOfAnother() throws Exception {
    CountDownLatch thaw = new CountDownLatch(1);
    try (PluginThreads threads = new PluginThreads()) {
      Executor hung = threads.pinning(ONE);
      Runnable wait =
          () -> {
            try {
              thaw.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          };
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  hung.execute(wait);
                }
              })
          .isInstanceOf(RejectedExecutionException.class);
      CompletableFuture<Void> other = new CompletableFuture<>();
      threads.pinning(OTHER).execute(() -> other.complete(null));
      other.get(60, TimeUnit.SECONDS);
      CompletableFuture<Void> timer = new CompletableFuture<>();
      threads.after(1, () -> timer.complete(null));
      timer.get(60, TimeUnit.SECONDS);
    } finally {
      thaw.countDown();
    }
  }
}
