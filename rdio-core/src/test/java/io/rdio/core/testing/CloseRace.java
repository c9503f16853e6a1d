// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.ExtentReader;
import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.read.ReadContext;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Readers that another thread closes while they read, one after the other. A third thread reads
 * another block all the while, in the very windows that closing gives back: a reader that used one
 * once more would hand out that block's bytes.
 */
public final class CloseRace {
  private static final int PIECE_MAX = 20_000;

  /** For the others' end. */
  private static final int MINUTES_MAX = 2;

  private final ManualClock clock = new ManualClock();
  private final ReadPools pools;
  private final AtomicReference<ExtentReader> toClose = new AtomicReference<>();
  private volatile boolean over;
  private int readsBeforeClose;
  private int closedInRead;

  /** A block, and the device with its image. */
  public record Source(TestBlock block, BlockDevice device) {}

  /**
   * @param queues where the readers' queues come from
   */
  public CloseRace(ReadAheadPool.QueueSource queues) {
    pools = ReadPools.of(2 << 20, 64 << 10, queues);
  }

  private ReadContext context(Source source) {
    FakeMaps maps = new FakeMaps(clock).then(source.block().map(clock));
    OneDevice devices = new OneDevice(source.block().identity, source.device());
    return pools.context(maps, devices, clock);
  }

  /** Closes so many readers, and makes sure that nothing wrong came of it. */
  public void run(Source victim, Source other, int rounds) throws Exception {
    CompletableFuture<Void> closer = CompletableFuture.runAsync(this::closeAll);
    CompletableFuture<Void> recycler = CompletableFuture.runAsync(() -> recycle(other));
    try {
      ReadContext context = context(victim);
      Random random = new Random(1);
      for (int i = 0; i < rounds; i++) {
        readUntilClosed(context, victim.block(), random);
      }
    } finally {
      over = true;
      closer.get(MINUTES_MAX, TimeUnit.MINUTES);
      recycler.get(MINUTES_MAX, TimeUnit.MINUTES);
    }
    assertThat(pools.windows().lentBytes()).isZero();
    assertThat(pools.windows().allocatedBytes()).isLessThanOrEqualTo(2 << 20);
    // Else nothing was tried: closes came in the middle of reads, and behind some of them.
    assertThat(closedInRead).isEqualTo(rounds);
    assertThat(readsBeforeClose).isGreaterThan(rounds / 10);
  }

  private void readUntilClosed(ReadContext context, TestBlock block, Random random)
      throws Exception {
    ExtentReader reader = ExtentReader.open(context, block.request, true, block.bytes.length);
    boolean sequential = random.nextBoolean();
    int at = 0;
    toClose.set(reader);
    try {
      while (true) {
        int from = sequential ? at : random.nextInt(block.bytes.length);
        int count = 1 + random.nextInt(Math.min(PIECE_MAX, block.bytes.length - from));
        byte[] target = new byte[count];
        reader.read(from, target, 0, count);
        assertIsRange(target, block, from);
        readsBeforeClose++;
        at = from + count == block.bytes.length ? 0 : from + count;
      }
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.ACCESSOR_CLOSED);
      closedInRead++;
    }
  }

  private static void assertIsRange(byte[] target, TestBlock block, int from) {
    assertThat(Arrays.equals(target, 0, target.length, block.bytes, from, from + target.length))
        .as("%d bytes at %d", target.length, from)
        .isTrue();
  }

  private void closeAll() {
    Random random = new Random(2);
    while (!over) {
      ExtentReader reader = toClose.getAndSet(null);
      if (reader != null) {
        for (int i = random.nextInt(30_000); i > 0; i--) {
          Thread.onSpinWait();
        }
        reader.close();
      } else {
        LockSupport.parkNanos(
            1000); // for who opens the next one, where there are fewer processors than threads
      }
    }
  }

  private void recycle(Source other) {
    TestBlock block = other.block();
    ReadContext context = context(other);
    Random random = new Random(3);
    while (!over) {
      try (ExtentReader reader =
          ExtentReader.open(context, block.request, true, block.bytes.length)) {
        int from = random.nextInt(block.bytes.length - PIECE_MAX);
        byte[] target = new byte[PIECE_MAX];
        reader.read(from, target, 0, PIECE_MAX);
        assertIsRange(target, block, from);
      } catch (FallbackException e) {
        throw new AssertionError(e);
      }
    }
  }
}
