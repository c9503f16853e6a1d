// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Small reads in order, of bytes that have come before: what they do, and what they do not. */
final class SmallReadsTest {
  private static final int SMALL = 4096;
  private static final int LENGTH = 1_000_000;

  /** What a run reads at first. */
  private static final int FIRST = ReadGeometry.FIRST_AHEAD;

  private final TestBlock block =
      new TestBlock(8, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final byte[] got = new byte[SMALL];

  private void read(ExtentReader reader, int at, int count) throws FallbackException {
    reader.read(at, got, 0, count);
    assertThat(Arrays.equals(got, 0, count, block.bytes, at, at + count)).isTrue();
  }

  private void readAll(ExtentReader reader, int from, int to) throws FallbackException {
    for (int at = from; at < to; at += SMALL) {
      read(reader, at, Math.min(SMALL, to - at));
    }
  }

  @Test
  void askForNoTimeOnceTheirBytesAreHere() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    AtomicInteger looks = new AtomicInteger();
    ReadContext context =
        fixture.pools.context(
            fixture.maps,
            fixture.devices,
            () -> {
              looks.incrementAndGet();
              return fixture.clock.nanos();
            });
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      read(reader, 0, SMALL);
      assertThat(looks.getAndSet(0)).as("before the window is read, and behind that").isPositive();
      int reads = fixture.device.reads();
      readAll(reader, SMALL, FIRST);
      assertThat(looks).hasValue(0);
      assertThat(fixture.device.reads()).isEqualTo(reads);

      read(reader, FIRST, SMALL);
      assertThat(looks).as("another window").hasPositiveValue();
    }
  }

  @Test
  void askForNoMemoryOnceTheirBytesAreHere() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 2 << 20); // less than a run would have
    AtomicInteger asked = new AtomicInteger();
    try (ExtentReader reader = fixture.reader()) {
      read(reader, 0, SMALL);
      fixture.windows.whenScarce(asked::incrementAndGet);
      readAll(reader, SMALL, FIRST);
      assertThat(asked).hasValue(0);
      read(reader, FIRST, SMALL);
      assertThat(asked).as("when there is something to fetch").hasPositiveValue();
    }
  }

  @Test
  void giveAllBackWhereTheReaderStops() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    for (int stop : new int[] {FIRST - 1, FIRST, 2 * SMALL, LENGTH - 100, LENGTH}) {
      try (ExtentReader reader = ExtentReader.open(fixture.context, block.request, true, stop)) {
        readAll(reader, 0, stop - 1);
        assertThat(fixture.windows.lentBytes()).isPositive();
        read(reader, stop - 1, 1);
        assertThat(fixture.windows.lentBytes()).as("at %s", stop).isZero();
      }
    }
  }

  /** The map goes that the window was read by, and the reader is told of it. */
  @Test
  void verifyWhatIsHereAndBlameTheMapThatItCameBy() throws Exception {
    int wrong = 40_000;
    ReadFixture fixture = new ReadFixture(block, 512);
    FileMap first = fixture.maps.get(block.request);
    fixture.maps.then(block.map(fixture.clock));
    block.image[block.placeOf(wrong)] ^= 4;
    try (ExtentReader reader = fixture.reader()) {
      readAll(reader, 0, 2 * SMALL);
      block.image[block.placeOf(wrong)] ^= 4; // as the other replica has it
      readAll(reader, 2 * SMALL, LENGTH);
      assertThat(reader.takeSuspect()).isSameAs(first);
      assertThat(reader.takeSuspect()).isNull();
    }
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(LENGTH);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void areTheBlocksBytesWhereverTheyGo() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    Random random = new Random(2);
    try (ExtentReader reader = fixture.reader()) {
      int at = 0;
      for (int i = 0; i < 5_000; i++) {
        int count = Math.min(1 + random.nextInt(SMALL), LENGTH - at);
        read(reader, at, count);
        // Mostly on; a little back or forth; seldom anywhere.
        int step = random.nextInt(10) > 0 ? count : random.nextInt(3 * SMALL) - SMALL;
        at = random.nextInt(100) > 0 ? Math.max(0, at + step) : random.nextInt(LENGTH);
        at = at < LENGTH ? at : 0;
      }
    }
    assertThat(fixture.counters.rdioReads.sum()).isEqualTo(5_000);
    assertThat(fixture.windows.lentBytes()).isZero();
  }
}
