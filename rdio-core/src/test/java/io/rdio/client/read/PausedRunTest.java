// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranges of a run whose reader pauses are for who needs their memory. */
final class PausedRunTest {
  private static final int LENGTH = 24 << 20;
  private static final int AHEAD = 8 << 20;
  private static final int READ = 1 << 20;
  private static final long MEMORY = 256L << 20;
  private static final TestBlock BLOCK =
      new TestBlock(15, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);

  private final AtomicBoolean hangs = new AtomicBoolean();
  private volatile LongSupplier time = System::nanoTime;
  private final ReadFixture fixture =
      new ReadFixture(
          BLOCK,
          512,
          ReadPools.lendingBy(
              MEMORY,
              of ->
                  new ReadAheadPool(
                      of, AHEAD, () -> new HangingQueue(hangs), () -> time.getAsLong())));
  private final ManualClock clock = new ManualClock();
  private final Together together = new Together();
  private final SharedRun run =
      new SharedRun(fixture.windows, clock, PausedRunTest::open, Runnable::run, together);
  private final byte[] got = new byte[READ];
  private ExtentReader reader;
  private int at;

  private static SecondWay.Range open(long start, long end) {
    return new SecondWay.Range() {
      @Override
      public void read(long offset, ByteBuffer to) throws IOException {
        to.put(BLOCK.bytes, (int) offset, to.remaining());
      }

      @Override
      public void close() {}
    };
  }

  /** Until the second way has brought some of what is to come. */
  @BeforeEach
  void readOnUntilThereAreRanges() throws Exception {
    while (!together.isOn()) {
      together.unit(1_000_000, false);
    }
    reader = fixture.reader();
    reader.share(run);
    while (!run.hasRanges()) {
      assertThat(at).isLessThan(LENGTH / 2);
      readOn();
    }
  }

  @AfterEach
  void allIsGivenBack() {
    run.close();
    reader.close();
    await().untilAsserted(() -> assertThat(fixture.windows.lentBytes()).isZero());
  }

  private void readOn() throws FallbackException {
    clock.advance(Duration.ofMillis(1));
    reader.read(at, got, 0, READ);
    assertThat(got).isEqualTo(BLOCK.range(at, READ));
    at += READ;
  }

  private void somebodyNeedsMemoryLater() {
    time = () -> System.nanoTime() + KeptReadAheads.IDLE_AFTER.toNanos();
    assertThat(fixture.windows.keepable(MEMORY, 0)).isLessThan(MEMORY);
  }

  @Test
  void theyGoWithWhatTheDeviceHasReadAhead() throws Exception {
    somebodyNeedsMemoryLater();
    assertThat(run.hasRanges()).isFalse();
    assertThat(fixture.windows.lentBytes()).isZero();

    run.mayTakeOn(false);
    while (at < LENGTH) {
      readOn(); // as if nothing had happened
    }
  }

  /** What is under way on a device that hangs stays with it, and they do not. */
  @Test
  void theyGoAtOnceWhereADeviceHangs() throws Exception {
    hangs.set(true);
    reader.read(at, got, 0, READ / 2); // which is here, and begins what comes behind it
    long before = fixture.windows.lentBytes();
    somebodyNeedsMemoryLater();
    assertThat(run.hasRanges()).isFalse();
    assertThat(fixture.windows.lentBytes()).isBetween(1L, before - READ);
    hangs.set(false);
  }
}
