// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Runs of which a second way brings whatever share, in time, late, or not at all. */
final class SharedReadTest {
  private static final int LENGTH = (24 << 20) + 1000;
  private static final int AHEAD = 8 << 20;
  private static final int MOST = 2 << 20;
  private static final TestBlock BLOCK =
      new TestBlock(8, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);

  /** Of all tries, for its memory is never given back. */
  private static final ReadPools POOLS =
      ReadPools.lendingBy(
          256 << 20, windows -> new ReadAheadPool(windows, AHEAD, () -> new DeferredQueue(LENGTH)));

  private final ManualClock clock = new ManualClock();
  private Random random = new Random(1);
  private final List<Runnable> begun = new ArrayList<>();
  private int fails;
  private long byWay;

  private SecondWay.Range open(long start, long end) throws IOException {
    if (random.nextInt(100) < fails) {
      throw new IOException("refused " + start + " to " + end);
    }
    return new SecondWay.Range() {
      @Override
      public void read(long offset, ByteBuffer to) throws IOException {
        if (random.nextInt(400) < fails) {
          throw new IOException("reset");
        }
        to.put(BLOCK.bytes, (int) offset, to.remaining());
      }

      @Override
      public void close() {}
    };
  }

  private static Together on() {
    Together together = new Together();
    while (!together.isOn()) {
      together.unit(1_000_000, false);
    }
    return together;
  }

  /** Of three that begin, one does at once, one later, and one whenever. */
  private void execute(Runnable work) {
    if (random.nextInt(3) == 0) {
      work.run();
    } else {
      begun.add(work);
    }
  }

  private void maybeBegin() {
    while (!begun.isEmpty() && random.nextBoolean()) {
      begun.remove(0).run();
    }
  }

  @Property(tries = 60, seed = "20261130")
  void bytesAreTheBlocksWhoeverBringsThem(@ForAll long seed) throws Exception {
    random = new Random(seed);
    fails = random.nextInt(3) == 0 ? random.nextInt(50) : 0;
    ReadFixture fixture = new ReadFixture(BLOCK, 512, POOLS);
    long before = fixture.counters.deviceBytes.sum();
    byWay = 0;
    byte[] got = new byte[LENGTH];
    try (ExtentReader reader = fixture.reader();
        SharedRun run = new SharedRun(fixture.windows, clock, this::open, this::execute, on())) {
      reader.share(run);
      read(fixture, reader, run, got);
    }
    begun.forEach(Runnable::run);
    begun.clear();
    assertThat(Arrays.mismatch(got, BLOCK.bytes)).isEqualTo(-1);
    assertThat(fixture.windows.lentBytes()).isZero();
    long byDevice = fixture.counters.deviceBytes.sum() - before;
    if (fails == 0) {
      assertThat(byDevice + byWay).as("hardly a byte twice").isLessThan(LENGTH + LENGTH / 8);
    }
  }

  private void read(ReadFixture fixture, ExtentReader reader, SharedRun run, byte[] got)
      throws FallbackException {
    for (int at = 0; at < LENGTH; ) {
      clock.advance(Duration.ofMillis(1));
      maybeBegin();
      int wanted = Math.min(LENGTH - at, 1 + random.nextInt(MOST));
      long end = run.endOf(at);
      if (end == SharedRun.NOWHERE) {
        int count = (int) Math.min(wanted, run.startBehind(at) - at);
        reader.read(at, got, at, count);
        at += count;
      } else {
        int count = run.read(at, ByteBuffer.wrap(got, at, wanted), 0);
        byWay += count;
        count = count > 0 ? count : readAround(fixture, at, (int) end, got);
        reader.cameElsewhere(at, count);
        at += count;
      }
    }
  }

  private static int readAround(ReadFixture fixture, int from, int to, byte[] got)
      throws FallbackException {
    try (ExtentReader around = ExtentReader.open(fixture.context, BLOCK.request, true, to)) {
      around.read(from, got, from, to - from);
    }
    return to - from;
  }
}
