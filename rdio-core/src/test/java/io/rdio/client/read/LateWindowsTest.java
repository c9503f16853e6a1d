// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A reader that goes elsewhere while what it has read ahead is late: nobody has waited for those
 * bytes for {@code dfs.client.rdio.read.timeout}, so the device is not to blame.
 */
final class LateWindowsTest {
  private static final int LENGTH = 4 << 20;
  private static final int RUN = 1 << 20;
  private static final int SMALL = 4096;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final AtomicBoolean hangs = new AtomicBoolean();
  private final AtomicBoolean never = new AtomicBoolean();
  private final List<ReadQueue> queues = new ArrayList<>();
  private final ReadFixture fixture = new ReadFixture(block, 512, 64 << 20, this::oneThatHangs);
  private boolean interrupts;
  private boolean onlyOneQueue;

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  /** The first queue hangs when told to, the others do not. */
  private ReadQueue oneThatHangs() throws FallbackException {
    if (onlyOneQueue && !queues.isEmpty()) {
      throw new FallbackException(FallbackReason.ASYNC_IO_UNAVAILABLE, "as told");
    }
    queues.add(new HangingQueue(queues.isEmpty() ? hangs : never, this::whileWaiting));
    return queues.get(queues.size() - 1);
  }

  private void whileWaiting() {
    if (interrupts) {
      Thread.currentThread().interrupt();
    }
  }

  private ExtentReader reader(@Nullable BlockDataCache cache, long length)
      throws FallbackException {
    return ExtentReader.open(fixture.context.with(cache), block.request, true, length);
  }

  /** Reads in order until windows are under way that hang. */
  private void beginRun(ExtentReader reader) throws FallbackException {
    assertReads(reader, 0, RUN);
    hangs.set(true);
    assertReads(reader, RUN, SMALL); // which is here, and begins what comes behind
    assertThat(fixture.readAheads.abandoned()).isZero();
  }

  private void assertReads(ExtentReader reader, int from, int count) throws FallbackException {
    byte[] got = new byte[count];
    reader.read(from, got, 0, count);
    assertThat(got).isEqualTo(block.range(from, count));
  }

  private void assertLateOnesAreKeptUntilTheyEnd() {
    assertThat(fixture.readAheads.abandoned()).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isPositive();
    hangs.set(false);
    await()
        .untilAsserted(
            () -> {
              assertThat(fixture.readAheads.abandoned()).isZero();
              assertThat(fixture.readAheads.lentQueues()).isZero();
              assertThat(fixture.windows.lentBytes()).isZero();
            });
  }

  @Test
  void seekGoesOnWithoutThem() throws Exception {
    try (ExtentReader reader = reader(null, LENGTH)) {
      beginRun(reader);
      assertReads(reader, 0, SMALL);
      assertReads(reader, SMALL, RUN);
      assertThat(queues).hasSize(2);
    }
    assertThat(fixture.maps.rejections()).isEmpty();
    assertLateOnesAreKeptUntilTheyEnd();
  }

  @Test
  void seekGoesOnWithoutAQueueWhereThereIsNoOther() throws Exception {
    onlyOneQueue = true;
    try (ExtentReader reader = reader(null, LENGTH)) {
      beginRun(reader);
      assertReads(reader, 0, SMALL);
      assertReads(reader, SMALL, RUN);
    }
    assertThat(fixture.maps.rejections()).isEmpty();
    assertLateOnesAreKeptUntilTheyEnd();
  }

  @Test
  void positionalReadForTheDataCacheGoesOnWithoutThem() throws Exception {
    BlockDataCache cache = new BlockDataCache(64L << 16, 1 << 16, fixture.clock, fixture.counters);
    try (ExtentReader other = reader(cache, 2 * SMALL)) {
      assertReads(other, SMALL, SMALL); // for the cache admits what is read again
    }
    try (ExtentReader reader = reader(cache, LENGTH)) {
      beginRun(reader);
      assertReads(reader, SMALL, SMALL);
    }
    assertThat(fixture.maps.rejections()).isEmpty();
    assertLateOnesAreKeptUntilTheyEnd();
  }

  @Test
  void readerThatIsInterruptedMeanwhileIsToldThat() throws Exception {
    try (ExtentReader reader = reader(null, LENGTH)) {
      beginRun(reader);
      interrupts = true;
      FallbackException refusal =
          catchThrowableOfType(
              FallbackException.class, () -> reader.read(0, new byte[SMALL], 0, SMALL));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.INTERRUPTED);
      assertThat(Thread.interrupted()).isTrue();
      interrupts = false;
      assertReads(reader, 0, SMALL);
    }
    assertThat(fixture.maps.rejections()).isEmpty();
    assertLateOnesAreKeptUntilTheyEnd();
  }
}
