// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.datacache.flash.MemoryFlashFile;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.ManualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a block data cache with a flash tier serves, and what it does not serve any more. */
class FlashBehindMemoryTest {
  private static final int CHUNK = 64 << 10;
  private static final int SLOTS = 16;
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final ManualClock clock = new ManualClock();
  private final ClientCounters counters = new ClientCounters();
  private final MemoryFlashFile file = new MemoryFlashFile(FlashTier.MIN_BYTES);
  private final FlashTier tier = new FlashTier(file, CHUNK, 7, counters);
  private final BlockDataCache cache =
      new BlockDataCache((long) SLOTS * CHUNK, CHUNK, clock, counters, tier);
  private final Lease lease = lease();
  private final SeededBlock block = new SeededBlock(1, 1001, 2 * CHUNK + 100);
  private final byte[] got = new byte[3 * CHUNK];
  private int fillers = 1000;

  private Lease lease() {
    return new Lease(1, 1, clock.nanos(), clock.nanos() + FOREVER);
  }

  @BeforeEach
  void start() {
    tier.start();
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private int read(SeededBlock of, long offset, int count) {
    int done = cache.read(of.map(lease), offset, got, 0, count);
    assertThat(of.firstWrong(offset, got, done)).isEqualTo(-1);
    return done;
  }

  /** Caches all of a block and has it hit, or not. */
  private void insert(SeededBlock of, boolean hit) {
    cache.insert(of.map(lease), 0, of.length(), of::copy);
    if (hit) {
      assertThat(read(of, 0, (int) of.length())).isEqualTo((int) of.length());
    }
  }

  /** Evicts all that is in memory. */
  private void flushMemory() {
    for (int i = 0; i < 6 * SLOTS; i++) {
      SeededBlock filler = new SeededBlock(fillers++, 1001, CHUNK);
      cache.insert(filler.map(lease), 0, CHUNK, (from, to, at, count) -> count);
    }
  }

  private void toFlash(SeededBlock of) {
    insert(of, true);
    flushMemory();
  }

  @Test
  void whatWasHitComesBackByWayOfMemory() {
    toFlash(block);
    assertThat(cache.flashBytes()).isEqualTo(3L * CHUNK);
    long misses = counters.dataCacheMisses.sum();
    assertThat(read(block, 10, 2 * CHUNK)).isEqualTo(2 * CHUNK);
    assertThat(counters.dataCacheFlashHits.sum()).isEqualTo(3);
    assertThat(read(block, 0, 2 * CHUNK + 100)).isEqualTo(2 * CHUNK + 100);
    assertThat(counters.dataCacheFlashHits.sum()).as("it is in memory").isEqualTo(3);
    assertThat(counters.dataCacheMisses.sum()).isEqualTo(misses);
    long admitted = counters.dataCacheFlashAdmittedBytes.sum();
    flushMemory();
    assertThat(counters.dataCacheFlashAdmittedBytes.sum())
        .as("what flash has is not written again")
        .isEqualTo(admitted);
  }

  @Test
  void whatWasNotHitIsTakenTheSecondTime() {
    insert(block, false);
    flushMemory();
    assertThat(cache.flashBytes()).isZero();
    assertThat(read(block, 0, 1)).isZero();
    insert(block, false);
    flushMemory();
    long here = cache.flashBytes() / CHUNK;
    assertThat(here).as("about all: see RecentlyWanted").isBetween(1L, 3L);
    for (int i = 0; i < 3; i++) {
      read(block, (long) i * CHUNK, 1);
    }
    assertThat(counters.dataCacheFlashHits.sum()).isEqualTo(here);
  }

  @Test
  void allOfARangeMayBePartlyInFlash() {
    toFlash(block);
    ByteBuffer to = ByteBuffer.allocateDirect(3 * CHUNK);
    assertThat(read(block, CHUNK, 1)).isEqualTo(1);
    assertThat(cache.readAll(block.map(lease), 5, to, 7, 2 * CHUNK)).isTrue();
    for (int i = 0; i < 2 * CHUNK; i++) {
      assertThat(to.get(7 + i)).isEqualTo(block.at(5 + i));
    }
    SeededBlock other = new SeededBlock(2, 1001, CHUNK);
    assertThat(cache.readAll(other.map(lease), 0, to, 0, 10)).isFalse();
  }

  @Test
  void dropTakesWhatIsInFlash() {
    SeededBlock other = new SeededBlock(2, 1001, CHUNK);
    insert(other, true);
    toFlash(block);
    cache.drop(block.map(lease()));
    assertThat(cache.flashBytes()).isEqualTo(CHUNK);
    assertThat(read(block, 0, 100)).isZero();
    assertThat(read(other, 0, 100)).isEqualTo(100);
  }

  @Test
  void anotherGenerationHasNothing() {
    toFlash(block);
    assertThat(read(new SeededBlock(block.id(), 1002, block.length()), 0, 100)).isZero();
  }

  @Test
  void nobodyIsServedWithoutALease() {
    toFlash(block);
    Lease ended = lease();
    ended.end();
    assertThat(cache.read(block.map(ended), 0, got, 0, 100)).isZero();
  }

  @Test
  void recallDuringAReadOfTheFileLeavesNothing() {
    toFlash(block);
    writeOut();
    Lease recalled = lease();
    FileMap map = block.map(recalled);
    file.beforeNextRead(
        () -> {
          recalled.end();
          cache.drop(map);
        });
    assertThat(cache.read(map, 0, got, 0, 100)).isZero();
    assertThat(read(block, 0, 100)).as("by a new lease").isZero();
  }

  @Test
  void recallDuringAnInsertLeavesNothing() {
    Lease recalled = lease();
    FileMap map = block.map(recalled);
    cache.insert(
        map,
        0,
        CHUNK,
        (offset, to, at, count) -> {
          recalled.end();
          cache.drop(map);
          return block.copy(offset, to, at, count);
        });
    flushMemory();
    assertThat(read(block, 0, 100)).isZero();
  }

  /** Has all that is in flash until now written to the file. */
  private void writeOut() {
    for (int i = 0; i < 3; i++) {
      for (int id = 0; id < 12; id++) {
        insert(new SeededBlock(500 + 12 * i + id, 1001, CHUNK), true);
      }
      flushMemory();
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> counters.dataCacheFlashWrittenBytes.sum() > 0);
  }

  @Test
  void alteredFileIsAMissAndCostsNoMemory() {
    toFlash(block);
    writeOut();
    for (int i = 0; i < 3; i++) {
      read(block, (long) i * CHUNK, 1);
    }
    flushMemory();
    Arrays.fill(file.bytes(), (byte) 0x55);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              toFlashAgain();
              return counters.dataCacheFlashChecksumFailures.sum() > 0;
            });
    insert(new SeededBlock(77, 1001, 3L * CHUNK), true); // every slot was given back
    assertThat(counters.dataCacheFlashFailures.sum()).isZero();
  }

  private void toFlashAgain() {
    for (int i = 0; i < 3; i++) {
      read(block, (long) i * CHUNK, 1);
    }
    flushMemory();
  }

  @Test
  void readThatThrowsHoldsNoSlot() {
    toFlash(block);
    writeOut();
    for (int i = 0; i < 4 * SLOTS; i++) {
      file.beforeNextRead(
          () -> {
            throw new IllegalStateException("for the test");
          });
      assertThatThrownBy(() -> read(block, 0, 1)).hasMessage("for the test");
    }
    file.beforeNextRead(() -> {});
    assertThat(read(block, 0, 1)).isEqualTo(1);
  }

  @Test
  void saysWhetherTheFileWouldBeWaitedFor() {
    assertThat(cache.waitsForFlash(block.map(lease), 0, 100)).isFalse();
    toFlash(block);
    assertThat(read(block, 0, 1)).isEqualTo(1);
    assertThat(cache.waitsForFlash(block.map(lease), 0, CHUNK)).as("in memory").isFalse();
    assertThat(cache.waitsForFlash(block.map(lease), 1, CHUNK)).isTrue();
  }

  @Test
  void evictionsAreToldOfWhatNoFlashTierTakes() {
    List<Long> told = new ArrayList<>();
    cache.addEvictionListener((key, offset, length) -> told.add(key.blockId()));
    toFlash(block);
    assertThat(told).isNotEmpty().doesNotContain(block.id());
  }

  @Test
  void closesTheFile() {
    toFlash(block);
    cache.close();
    assertThat(file.isClosed()).isTrue();
    assertThat(read(block, 0, 100)).isZero();
  }
}
