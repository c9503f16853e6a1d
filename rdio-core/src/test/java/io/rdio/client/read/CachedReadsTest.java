// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.ReadGeometry;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.datacache.flash.MemoryFlashFile;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.Allocation;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Reads of a block with the block data cache on. */
class CachedReadsTest {
  private static final int LENGTH = (1 << 20) + 777;
  private static final int CHUNK = 64 << 10;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final ReadFixture fixture = new ReadFixture(block, 4096);
  private final BlockDataCache cache =
      new BlockDataCache(64L * CHUNK, CHUNK, fixture.clock, fixture.counters);
  private final ReadContext context = fixture.context.with(cache);

  /** As HDFS does it: a reader for each, which sees the block up to the end of its range. */
  private long positional(int from, int count, boolean verify) throws FallbackException {
    long before = fixture.counters.deviceBytes.sum();
    try (ExtentReader reader =
        ExtentReader.open(context, block.request, verify, (long) from + count)) {
      byte[] got = new byte[count];
      reader.read(from, got, 0, count);
      assertThat(got).isEqualTo(block.range(from, count));
    }
    return fixture.counters.deviceBytes.sum() - before;
  }

  @Test
  void firstReadIsSmallTheSecondFetchesTheChunkLaterOnesNothing() throws Exception {
    assertThat(positional(100_000, 4096, true)).isBetween(1L, 5 * 4096L);
    assertThat(cache.cachedBytes()).isZero();
    assertThat(positional(90_000, 4096, true)).isGreaterThanOrEqualTo(CHUNK);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    for (int from = CHUNK; from < 2 * CHUNK; from += 4096) {
      assertThat(positional(from, 4096, true)).isZero();
    }
    assertThat(fixture.counters.dataCacheHits.sum()).isEqualTo(16);
    assertThat(fixture.counters.rdioReads.sum()).isEqualTo(18);
  }

  @Test
  void largeReadsAndTheBlocksEnd() throws Exception {
    positional(10, LENGTH - 10, true);
    positional(10, LENGTH - 10, true);
    assertThat(positional(0, LENGTH, true)).isZero();
    assertThat(positional(LENGTH - 1, 1, true)).isZero();
    assertThat(cache.cachedBytes()).isEqualTo(17L * CHUNK);
  }

  @Test
  void shortLastChunkIsReadAtOnceAndCached() throws Exception {
    int last = LENGTH - 777;
    positional(last + 700, 77, true);
    positional(last + 700, 77, true);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    assertThat(positional(last, 777, true)).isZero();
  }

  @Test
  void whatIsCachedComesFromMemoryAndTheRestFromTheDevice() throws Exception {
    positional(0, 1, true);
    positional(0, 1, true);
    long fromDevice = positional(CHUNK - 1000, 2000, true);
    assertThat(fromDevice).isBetween(1L, 4 * 4096L);
  }

  @Test
  void flashTierHasWhatMemoryHasNoRoomFor() throws Exception {
    FlashTier flash =
        new FlashTier(new MemoryFlashFile(FlashTier.MIN_BYTES), CHUNK, 7, fixture.counters);
    flash.start();
    try (BlockDataCache small =
        new BlockDataCache(16L * CHUNK, CHUNK, fixture.clock, fixture.counters, flash)) {
      ReadContext behind = fixture.context.with(small);
      for (int from = 0; from < LENGTH; from += CHUNK) {
        for (int i = 0; i < 3; i++) {
          readSome(behind, from);
        }
      }
      long device = fixture.counters.deviceBytes.sum();
      for (int from = 0; from < LENGTH; from += CHUNK) {
        readSome(behind, from);
      }
      assertThat(fixture.counters.deviceBytes.sum()).isEqualTo(device);
      assertThat(fixture.counters.dataCacheFlashHits.sum()).isPositive();
    }
  }

  private void readSome(ReadContext by, int from) throws FallbackException {
    byte[] got = new byte[Math.min(5000, LENGTH - from)];
    try (ExtentReader reader =
        ExtentReader.open(by, block.request, true, (long) from + got.length)) {
      reader.read(from, got, 0, got.length);
    }
    assertThat(got).isEqualTo(block.range(from, got.length));
  }

  @Test
  void scanDoesNotFillTheCacheButIsServedFromIt() throws Exception {
    positional(0, CHUNK, true);
    positional(0, CHUNK, true);
    long device = fixture.counters.deviceBytes.sum();
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, LENGTH)) {
      byte[] got = new byte[10_000];
      reader.read(0, got, 0, 10_000);
      assertThat(fixture.counters.deviceBytes.sum()).isEqualTo(device);
      for (int at = 10_000; at < LENGTH; at += 10_000) {
        int count = Math.min(10_000, LENGTH - at);
        reader.read(at, got, 0, count);
        assertThat(Arrays.copyOf(got, count)).isEqualTo(block.range(at, count));
      }
    }
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void unverifiedBytesAreNotCachedButTheVerifiedOnesServeAll() throws Exception {
    positional(0, 1000, false);
    positional(0, 1000, false);
    positional(0, 1000, false);
    assertThat(cache.cachedBytes()).isZero();
    positional(0, 1000, true);
    positional(0, 1000, true);
    assertThat(positional(0, 1000, false)).isZero();
  }

  @Test
  void badBytesAreNotCached() throws Exception {
    fixture.maps.then(block.map(fixture.clock)).then(block.map(fixture.clock));
    positional(0, 100, true);
    block.image[block.placeOf(5000)] ^= 4; // in the chunk, and not in what is asked for
    assertThatThrownBy(() -> positional(0, 100, true))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));
    assertThat(cache.cachedBytes()).isZero();
  }

  @Test
  void nothingIsServedWithoutALease() throws Exception {
    positional(0, 1000, true);
    positional(0, 1000, true);
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, 1000)) {
      fixture.clock.advance(TestBlock.LEASE);
      assertThatThrownBy(() -> reader.read(0, new byte[1000], 0, 1000))
          .isInstanceOf(FallbackException.class);
    }
    fixture.maps.then(block.map(fixture.clock));
    assertThat(positional(0, 1000, true)).as("by the next lease").isZero();
  }

  @Test
  void closedReaderServesNothing() throws Exception {
    positional(0, 1000, true);
    positional(0, 1000, true);
    ExtentReader reader = ExtentReader.open(context, block.request, true, 1000);
    reader.close();
    assertThatThrownBy(() -> reader.read(0, new byte[1], 0, 1))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.ACCESSOR_CLOSED));
  }

  @Test
  void hitsAllocateNothing() throws Exception {
    positional(0, 8192, true);
    positional(0, 8192, true);
    try (ExtentReader reader = ExtentReader.open(context, block.request, true, 8192)) {
      byte[] array = new byte[8192];
      ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 20; i++) { // the first one's classes and lookup key are new
        least =
            Math.min(
                least,
                Allocation.of(
                    () -> {
                      reader.read(0, array, 0, 8192);
                      reader.read(0, buffer, 0, 8192);
                    }));
      }
      assertThat(least).isZero();
    }
  }

  @Property(tries = 150, seed = "20261128")
  void everyReadOfAnyBlockIsItsBytes(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    int[] bytesPerChecksum = {512, 512, 513, 4096, 65536, 1 << 20};
    ChecksumSpec.Type[] types = ChecksumSpec.Type.values();
    TestBlock any =
        new TestBlock(
            seed,
            1 + random.nextInt(300_000),
            types[random.nextInt(types.length)],
            bytesPerChecksum[random.nextInt(bytesPerChecksum.length)],
            random.nextBoolean() ? 4096 : 1024,
            20_000);
    ReadFixture host = new ReadFixture(any, 4096);
    int chunk = ReadGeometry.SMALLEST_CHUNK << random.nextInt(7);
    try (BlockDataCache small = new BlockDataCache(16L * chunk, chunk, host.clock, host.counters)) {
      ReadContext cached = host.context.with(small);
      for (int i = 0; i < 60; i++) {
        int from = random.nextInt(any.bytes.length);
        int most = any.bytes.length - from;
        int count = 1 + random.nextInt(random.nextBoolean() ? most : Math.min(most, 5000));
        int visible = random.nextInt(4) == 0 ? any.bytes.length : from + count;
        byte[] got = new byte[count];
        try (ExtentReader reader =
            ExtentReader.open(cached, any.request, random.nextInt(5) > 0, visible)) {
          reader.read(from, got, 0, count);
        }
        assertThat(got).isEqualTo(any.range(from, count));
      }
    }
    assertThat(host.maps.rejections()).isEmpty();
    assertThat(host.windows.lentBytes()).isZero();
  }
}
