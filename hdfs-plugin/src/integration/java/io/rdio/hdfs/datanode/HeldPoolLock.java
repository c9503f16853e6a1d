// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * HDFS's lock of a block pool, kept from all by two threads of HDFS's own doing: one appends to a
 * block on a volume that hangs, holding it shared, and one waits to have it alone.
 */
final class HeldPoolLock {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Thread writer;
  private final Thread waiter;

  private HeldPoolLock(Thread writer, Thread waiter) {
    this.writer = writer;
    this.waiter = waiter;
  }

  /**
   * Returns once both wait.
   *
   * @param onHung a finalized block on a volume that hangs; is under construction in the end
   * @param present any block of the pool whose files are there
   */
  static HeldPoolLock by(FsDatasetSpi<?> dataset, ExtendedBlock onHung, ExtendedBlock present) {
    long newer = onHung.getGenerationStamp() + 1;
    Thread writer =
        start("writer", () -> dataset.append(onHung, newer, onHung.getNumBytes()).close());
    // There it has the lock, and goes no further.
    await("append").atMost(SOON).until(() -> isIn(writer, "FsVolumeImpl", "append"));
    Thread waiter =
        start(
            "waiter",
            () ->
                dataset.invalidateMissingBlock(
                    present.getBlockPoolId(), new Block(present.getLocalBlock())));
    await("wish for the lock")
        .atMost(SOON)
        .until(
            () ->
                isIn(waiter, "FsDatasetImpl", "invalidateMissingBlock")
                    && waiter.getState() == Thread.State.WAITING);
    return new HeldPoolLock(writer, waiter);
  }

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private static Thread start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static boolean isIn(Thread thread, String className, String method) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith(className) && frame.getMethodName().equals(method));
  }

  /** Whether one of the two has what it waited for. */
  boolean isOver() {
    return !writer.isAlive() || !waiter.isAlive();
  }

  /** Once the volume answers again. */
  void awaitEnd(Duration time) throws InterruptedException {
    writer.join(time.toMillis());
    waiter.join(time.toMillis());
    assertThat(writer.isAlive() || waiter.isAlive()).as("threads of HDFS still wait").isFalse();
  }
}
