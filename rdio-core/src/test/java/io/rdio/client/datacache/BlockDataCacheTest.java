// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.Allocation;
import io.rdio.core.testing.ManualClock;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is here, what is not, and what memory it takes. */
class BlockDataCacheTest {
  private static final int CHUNK = 4096;
  private static final int SLOTS = 64;
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final ManualClock clock = new ManualClock();
  private final ClientCounters counters = new ClientCounters();
  private final BlockDataCache cache =
      new BlockDataCache((long) SLOTS * CHUNK, CHUNK, clock, counters);
  private final Lease lease = new Lease(1, 1, clock.nanos(), clock.nanos() + FOREVER);
  private final SeededBlock block = new SeededBlock(1, 1001, 10 * CHUNK + 100);
  private final byte[] got = new byte[12 * CHUNK];

  private void insert(SeededBlock of, long from, long to) {
    cache.insert(of.map(lease), from, to, of::copy);
  }

  private int read(SeededBlock of, long offset, int count) {
    int done = cache.read(of.map(lease), offset, got, 0, count);
    assertThat(of.firstWrong(offset, got, done)).isEqualTo(-1);
    return done;
  }

  @Test
  void emptyCacheHasNothingAndNoMemory() {
    assertThat(read(block, 0, 1)).isZero();
    assertThat(counters.dataCacheMisses.sum()).isEqualTo(1);
    assertThat(cache.allocatedBytes()).isZero();
  }

  @Test
  void readsWithinAcrossAndBeyondWhatIsHere() {
    insert(block, CHUNK, 3 * CHUNK);
    assertThat(read(block, CHUNK, CHUNK)).isEqualTo(CHUNK);
    assertThat(read(block, CHUNK + 7, 10)).isEqualTo(10);
    assertThat(read(block, 2 * CHUNK - 1, 2)).isEqualTo(2);
    assertThat(counters.dataCacheHits.sum()).isEqualTo(4);
    assertThat(counters.dataCacheMisses.sum()).isZero();
    assertThat(read(block, 2 * CHUNK + 1, 5 * CHUNK)).as("up to what is not").isEqualTo(CHUNK - 1);
    assertThat(counters.dataCacheMisses.sum()).isEqualTo(5);
    assertThat(read(block, CHUNK - 1, 10)).as("begins with what is not").isZero();
  }

  @Test
  void readsAllOrSaysThatItCannot() {
    insert(block, CHUNK, 3 * CHUNK);
    ByteBuffer to = ByteBuffer.allocateDirect(4 * CHUNK);
    assertThat(cache.readAll(block.map(lease), CHUNK - 1, to, 0, 10)).isFalse();
    assertThat(cache.readAll(block.map(lease), CHUNK, to, 0, 4 * CHUNK)).isFalse();
    assertThat(counters.dataCacheMisses.sum()).as("those that are not here").isEqualTo(3);
    assertThat(counters.dataCacheHitBytes.sum()).isZero();
    assertThat(cache.readAll(block.map(lease), CHUNK + 5, to, 100, CHUNK)).isTrue();
    assertThat(counters.dataCacheHitBytes.sum()).isEqualTo(CHUNK);
    for (int i = 0; i < CHUNK; i++) {
      assertThat(to.get(100 + i)).isEqualTo(block.at(CHUNK + 5 + i));
    }
    assertThat(to.get(99)).isZero();
    assertThat(to.get(100 + CHUNK)).isZero();
  }

  @Test
  void readsIntoBuffersAtAnIndexAndLeavesTheirPosition() {
    insert(block, 0, 2 * CHUNK);
    for (ByteBuffer to :
        new ByteBuffer[] {ByteBuffer.allocate(9000), ByteBuffer.allocateDirect(9000)}) {
      to.position(5).limit(8999);
      assertThat(cache.read(block.map(lease), 10, to, 100, 8000)).isEqualTo(8000);
      assertThat(to.position()).isEqualTo(5);
      assertThat(to.limit()).isEqualTo(8999);
      for (int i = 0; i < 8000; i++) {
        assertThat(to.get(100 + i)).isEqualTo(block.at(10 + i));
      }
      assertThat(to.get(99)).isZero();
      assertThat(to.get(8100)).isZero();
    }
  }

  @Test
  void lastChunkOfABlockMayBeShort() {
    insert(block, 10 * CHUNK, block.length());
    assertThat(read(block, 10 * CHUNK, 100)).isEqualTo(100);
    assertThat(read(block, 10 * CHUNK + 99, 1)).isEqualTo(1);
    assertThat(cache.cachedBytes()).as("its slot is a whole one").isEqualTo(CHUNK);
  }

  @Test
  void nothingIsThereBehindAShortChunk() {
    insert(block, 10 * CHUNK, block.length());
    assertThat(read(block, 10 * CHUNK + 50, 200)).isEqualTo(50);
    assertThat(read(block, 10 * CHUNK + 100, 1)).isZero();
    assertThat(read(block, 10 * CHUNK + 3000, 1)).isZero();
  }

  @Test
  void aReadThatFailsHoldsNoSlot() {
    insert(block, 0, block.length());
    for (int at = 0; at < block.length(); at += CHUNK) {
      int offset = at;
      assertThatThrownBy(() -> cache.read(block.map(lease), offset, got, got.length, 10))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    cache.drop(block.map(lease));
    SeededBlock filler = new SeededBlock(2, 1001, (long) SLOTS * CHUNK);
    insert(filler, 0, filler.length());
    assertThat(cache.cachedBytes()).isEqualTo((SLOTS - 2L) * CHUNK);
  }

  @Test
  void onlyWholeChunksAreKept() {
    insert(block, 1, 3 * CHUNK - 1);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    assertThat(read(block, CHUNK, CHUNK)).isEqualTo(CHUNK);
    insert(block, 10 * CHUNK, block.length() - 1);
    assertThat(read(block, 10 * CHUNK, 1)).isZero();
  }

  @Test
  void anotherGenerationIsAnotherBlock() {
    insert(block, 0, CHUNK);
    SeededBlock appended = new SeededBlock(1, 1002, block.length() + CHUNK);
    assertThat(read(appended, 0, 1)).isZero();
    insert(appended, 0, CHUNK);
    assertThat(read(appended, 0, CHUNK)).isEqualTo(CHUNK);
    assertThat(read(block, 0, CHUNK)).isEqualTo(CHUNK);
  }

  @Test
  void secondCopyOfAChunkIsNotKept() {
    insert(block, 0, CHUNK);
    insert(block, 0, CHUNK);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    cache.drop(block.map(lease));
    assertThat(cache.cachedBytes()).isZero();
  }

  @Test
  void aChunkIsAdmittedWhenItIsMissedAgain() {
    assertThat(cache.admits(block.key(), 5, 10)).isFalse();
    assertThat(cache.admits(block.key(), CHUNK, 3 * CHUNK)).isFalse();
    assertThat(cache.admits(block.key(), 100, 200)).as("the same chunk elsewhere").isTrue();
    assertThat(cache.admits(block.key(), 2 * CHUNK, 9 * CHUNK)).as("the first of them").isTrue();
    assertThat(cache.admits(block.key(), 9 * CHUNK, 10 * CHUNK)).isFalse();
  }

  @Test
  void withdrawnBlockIsDroppedWhole() {
    SeededBlock other = new SeededBlock(2, 1001, 4 * CHUNK);
    insert(block, 0, block.length());
    insert(other, 0, other.length());
    cache.drop(block.map(lease));
    for (long at = 0; at < block.length(); at += CHUNK) {
      assertThat(read(block, at, 1)).isZero();
    }
    assertThat(read(other, 0, 4 * CHUNK)).isEqualTo(4 * CHUNK);
    assertThat(cache.cachedBytes()).isEqualTo(4 * CHUNK);
    assertThat(counters.dataCacheEvictions.sum()).isZero();
  }

  @Test
  void nothingIsKeptOfAMapThatWasWithdrawnMeanwhile() {
    FileMap map = block.map(lease);
    cache.insert(
        map,
        0,
        CHUNK,
        (offset, to, at, count) -> {
          lease.end();
          cache.drop(map); // finds nothing yet
          return block.copy(offset, to, at, count);
        });
    assertThat(read(block, 0, 1)).isZero();
    assertThat(cache.cachedBytes()).isZero();
  }

  @Test
  void boundHoldsAndEvictedSlotsAreUsedAgain() {
    for (int id = 0; id < 100; id++) {
      SeededBlock next = new SeededBlock(id, 1001, 8 * CHUNK);
      insert(next, 0, next.length());
      assertThat(cache.allocatedBytes()).isLessThanOrEqualTo((long) SLOTS * CHUNK);
      assertThat(cache.cachedBytes()).isLessThanOrEqualTo(cache.allocatedBytes());
    }
    assertThat(cache.allocatedBytes()).isEqualTo((long) SLOTS * CHUNK);
    assertThat(cache.cachedBytes()).isGreaterThan((long) (SLOTS - 4) * CHUNK);
    assertThat(counters.dataCacheEvictions.sum()).isEqualTo(800 - cache.cachedBytes() / CHUNK);
  }

  @Test
  void lessMemoryThanConfiguredIsASmallerCache() {
    AtomicInteger slabs = new AtomicInteger(2);
    SlotPool pool =
        new SlotPool(
            100_000,
            CHUNK,
            bytes -> {
              if (slabs.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("injected");
              }
              return ByteBuffer.allocateDirect(bytes);
            });
    try (BlockDataCache small = new BlockDataCache(pool, CHUNK, clock, counters)) {
      for (int id = 0; id < 400; id++) {
        SeededBlock next = new SeededBlock(id, 1001, 8 * CHUNK);
        small.insert(next.map(lease), 0, next.length(), next::copy);
      }
      assertThat(small.allocatedBytes()).isEqualTo(2 << 20);
      assertThat(small.cachedBytes()).isBetween(480L * CHUNK, 512L * CHUNK);
      SeededBlock last = new SeededBlock(1000, 1001, CHUNK);
      small.insert(last.map(lease), 0, CHUNK, last::copy);
      assertThat(small.read(last.map(lease), 0, got, 0, CHUNK)).as("later ones").isEqualTo(CHUNK);
    }
  }

  @Test
  void hitsAllocateNothing() {
    insert(block, 0, block.length());
    ByteBuffer buffer = ByteBuffer.allocateDirect(3 * CHUNK);
    FileMap map = block.map(lease);
    long perRound = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) { // the first are interpreted, and make the thread's lookup key
      perRound =
          Math.min(
              perRound,
              Allocation.of(
                  () -> {
                    cache.read(map, 100, got, 0, 2 * CHUNK);
                    cache.read(map, 100, buffer, 0, 2 * CHUNK);
                  }));
    }
    assertThat(counters.dataCacheMisses.sum()).isZero();
    assertThat(perRound).isZero();
  }

  @Test
  void closeLetsGoOfAllMemoryAndKeepsNothingMore() {
    insert(block, 0, block.length());
    cache.close();
    cache.close();
    assertThat(cache.allocatedBytes()).isZero();
    assertThat(cache.cachedBytes()).isZero();
    insert(block, 0, block.length());
    assertThat(read(block, 0, 1)).isZero();
    assertThat(cache.allocatedBytes()).isZero();
  }

  @Test
  void memoryGoesBackToTheJvmOnClose() {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    int chunk = ReadGeometry.LARGEST_CHUNK;
    long bytes = 64L << 20;
    BlockDataCache large = new BlockDataCache(bytes, chunk, clock, counters);
    SeededBlock whole = new SeededBlock(3, 1001, bytes);
    large.insert(whole.map(lease), 0, bytes, (offset, to, at, count) -> count);
    long before = direct.getMemoryUsed();
    assertThat(before).isGreaterThanOrEqualTo(bytes);
    large.close();
    await()
        .until(
            () -> {
              System.gc();
              return before - direct.getMemoryUsed() >= bytes;
            });
    assertThat(large.allocatedBytes()).isZero(); // and so it is still reachable up to here
  }

  @ParameterizedTest
  @CsvSource({"1048576, 5000", "1048576, 2048", "16777216, 524288", "65535, 4096"})
  void sizesThatMakeNoCache(long bytes, int chunk) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlockDataCache(bytes, chunk, clock, counters))
        .withMessageContaining(Long.toString(chunk));
  }
}
