// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Reads by position, each with a reader of its own as Hadoop makes them: what the map keeps. */
class PositionalReadTest {
  private static final int MIB = 1 << 20;
  private static final int CHUNK = 512;

  /** Data that a page of CRCs is for. */
  private static final int PAGE_DATA = ChunkCrcs.PAGE_BYTES / ChecksumSpec.CRC_BYTES * CHUNK;

  private final TestBlock block =
      new TestBlock(7, 2 * MIB + 333, ChecksumSpec.Type.CRC32C, CHUNK, 4096, 1 << 30);
  private final ReadFixture fixture = new ReadFixture(block, 512);

  @Test
  void theCrcsOfAPageAreReadOnce() throws Exception {
    read(10_000, 4096);
    long before = fixture.device.reads();
    for (int i = 0; i < 50; i++) {
      read(i * 9_000L, 4096);
    }
    assertThat(fixture.device.reads() - before).isEqualTo(50);
  }

  @Test
  void aReadAcrossPagesBringsBoth() throws Exception {
    read(PAGE_DATA - 2000, 4096);
    long before = fixture.device.reads();
    read(0, 4096);
    read(2 * PAGE_DATA - 4096, 4096);
    assertThat(fixture.device.reads() - before).isEqualTo(2);
    read(2 * PAGE_DATA - 100, 200);
    assertThat(fixture.device.reads() - before).isEqualTo(2 + 2);
  }

  @Test
  void theBlocksLastBytesToo() throws Exception {
    long cold = readsOfTheLastBytes();
    assertThat(cold).isEqualTo(4);
    assertThat(readsOfTheLastBytes()).isEqualTo(2);
  }

  private long readsOfTheLastBytes() throws FallbackException {
    long before = fixture.device.reads();
    read(block.bytes.length - 1, 1); // its CRC is alone on the last page
    read(block.bytes.length - 700, 700);
    return fixture.device.reads() - before;
  }

  @Test
  void keptCrcsFindWhatChangesLater() throws Exception {
    read(10_000, 4096);
    block.image[block.placeOf(50_000)] ^= 1;
    assertThatThrownBy(() -> read(49_000, 4096))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE));
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.CHECKSUM_MISMATCH);
  }

  @Test
  void wrongCrcsGoWithTheirMap() throws Exception {
    byte[] meta = block.image;
    int place = block.placeInMeta(7 + 4 * 20);
    meta[place] ^= 1;
    assertThatThrownBy(() -> read(20 * CHUNK, CHUNK)).isInstanceOf(FallbackException.class);
    meta[place] ^= 1;
    fixture.maps.then(block.map(fixture.clock));
    read(20 * CHUNK, CHUNK);
  }

  @Test
  void sequentialReadsKeepNone() throws Exception {
    ExtentReader reader = fixture.reader();
    byte[] got = new byte[MIB];
    for (int at = 0; at < MIB; at += 65536) {
      reader.read(at, got, at, 65536);
    }
    assertThat(fixture.maps.get(block.request).dropCrcs()).isZero();
  }

  @Test
  void aMapThatGoesTakesItsCrcsAlongInMidRead() throws Exception {
    read(0, 4096);
    fixture.maps.get(block.request).dropCrcs();
    read(0, 4096); // the lease is still good: the CRCs are read again, and not kept
    assertThat(fixture.maps.get(block.request).crcs().page(0)).isNull();
  }

  @Test
  void manyReadsKeepEachPageOnce() throws Exception {
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      int from = random.nextInt(block.bytes.length);
      read(from, 1 + random.nextInt(Math.min(300_000, block.bytes.length - from)));
    }
    int pages = (int) Math.ceil(block.bytes.length / (double) PAGE_DATA);
    long most = (long) pages * ChunkCrcs.heapBytes(ChunkCrcs.PAGE_BYTES);
    assertThat(fixture.maps.get(block.request).dropCrcs()).isBetween(1L, most);
  }

  @Test
  void aReaderThatIsKeptReadsNothingAhead() throws Exception {
    try (ExtentReader kept = kept()) {
      read(kept, 10_000, 4096);
      long before = fixture.device.reads();
      long lent = fixture.windows.lentBytes();
      for (int i = 0; i < 50; i++) {
        read(kept, i * 4096L, 4096); // in order, as if it went on
      }
      assertThat(fixture.device.reads() - before).isEqualTo(50);
      assertThat(fixture.windows.lentBytes()).isEqualTo(lent);
    }
  }

  @Test
  void aReaderThatIsKeptBeginsAnewWithEachRead() throws Exception {
    FakeGuard recalled = new FakeGuard();
    fixture.maps.reject(fixture.maps.get(block.request), FallbackReason.REPLICA_CHANGED);
    fixture.maps.then(block.map(recalled));
    try (ExtentReader kept = kept()) {
      read(kept, 10_000, 4096);
      recalled.admitNobody(); // as whoever reads in order may go on
      assertThatThrownBy(() -> read(kept, 10_000, 4096))
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE));
      fixture.maps.then(block.map(fixture.clock));
      read(kept, 10_000, 4096);
    }
  }

  @Test
  void theMapOfAReaderThatIsKeptIsLookedUpNowAndThen() throws Exception {
    try (ExtentReader kept = kept()) {
      read(kept, 10_000, 4096);
      int before = fixture.maps.lookups();
      for (int i = 0; i < 50; i++) {
        read(kept, i * 9_000L, 4096);
      }
      assertThat(fixture.maps.lookups()).isEqualTo(before);
      fixture.clock.advance(Duration.ofNanos(PresentReplica.LOOKED_UP_EVERY_NANOS));
      read(kept, 10_000, 4096); // or nobody would know that it is used
      read(kept, 10_000, 4096);
      assertThat(fixture.maps.lookups()).isEqualTo(before + 1);
    }
  }

  @Test
  void aReaderThatIsKeptReadsByNoMapThatWasEvicted() throws Exception {
    FileMap evicted = fixture.maps.get(block.request);
    try (ExtentReader kept = kept()) {
      read(kept, 10_000, 4096);
      fixture.maps.evict(evicted);
      FakeGuard other = new FakeGuard();
      fixture.maps.then(block.map(other));
      read(kept, 10_000, 4096);
      assertThat(other.asked).containsExactly("before", "after");
      assertThat(evicted.guard().admits(fixture.clock.nanos())).as("by its guard alone").isTrue();
    }
  }

  @Test
  void whereThereIsNoMapNothingIsReadAndNothingWaitedFor() throws Exception {
    byte[] got = new byte[4096];
    try (ExtentReader kept = kept()) {
      assertThat(kept.readMapped(10_000, got, 0, got.length)).isTrue();
      assertThat(got).isEqualTo(block.range(10_000, got.length));
      fixture.maps.evict(fixture.maps.get(block.request));
      fixture.maps.loadsAre(() -> false);
      int lookups = fixture.maps.lookups();
      int requests = fixture.maps.requests();
      int reads = fixture.device.reads();
      assertThat(kept.readMapped(0, got, 0, got.length)).isFalse();
      assertThat(kept.readMapped(0, ByteBuffer.wrap(got), 0, got.length)).isFalse();
      assertThat(got).isEqualTo(block.range(10_000, got.length));
      assertThat(fixture.device.reads()).isEqualTo(reads);
      assertThat(fixture.maps.lookups()).isEqualTo(lookups);
      assertThat(fixture.maps.requests()).isEqualTo(requests);

      fixture.maps.then(block.map(fixture.clock));
      fixture.maps.loadsAre(FileMapSource.Load.DONE);
      assertThat(kept.readMapped(0, ByteBuffer.wrap(got), 0, got.length)).isTrue();
      assertThat(got).isEqualTo(block.range(0, got.length));
      assertThat(fixture.maps.requests()).isEqualTo(requests + 1);
    }
  }

  @Test
  void itLooksAtTheClockWhenItBeginsAndBehindTheDevice() throws Exception {
    assertThat(looksAtTheClock()).isEqualTo(2);
    fixture.maps.then(block.map(fixture.clock)).then(block.map(fixture.clock)).keepAll();
    assertThat(looksAtTheClock()).as("with a choice of replicas").isEqualTo(2);
  }

  /** Of one read of a reader that is kept and has read before. */
  private int looksAtTheClock() throws FallbackException {
    AtomicInteger looks = new AtomicInteger();
    ReadContext context =
        fixture.pools.context(
            fixture.maps,
            fixture.devices,
            () -> {
              looks.incrementAndGet();
              return fixture.clock.nanos();
            });
    try (ExtentReader kept =
        ExtentReader.openPositional(context, block.request, true, block.bytes.length)) {
      read(kept, 10_000, 4096);
      looks.set(0);
      read(kept, 10_000, 4096);
      return looks.get();
    }
  }

  private ExtentReader kept() throws FallbackException {
    return ExtentReader.openPositional(fixture.context, block.request, true, block.bytes.length);
  }

  private void read(ExtentReader reader, long offset, int length) throws FallbackException {
    byte[] got = new byte[length];
    reader.read(offset, got, 0, length);
    assertThat(got).isEqualTo(block.range(offset, length));
  }

  private void read(long offset, int length) throws FallbackException {
    byte[] got = new byte[length];
    try (ExtentReader reader =
        ExtentReader.open(fixture.context, block.request, true, offset + length)) {
      reader.read(offset, got, 0, length);
    }
    assertThat(got).isEqualTo(block.range(offset, length));
  }
}
