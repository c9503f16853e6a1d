// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static io.rdio.client.datacache.flash.TierFixture.CHUNK;
import static io.rdio.client.datacache.flash.TierFixture.OF_REGION;
import static io.rdio.client.datacache.flash.TierFixture.REGIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What the tier has, keeps, evicts and refuses. */
class FlashTierTest {
  private static final int ALL = OF_REGION * REGIONS;

  private final TierFixture flash = new TierFixture();
  private final FlashTier tier = flash.tier;
  private final ClientCounters counters = flash.counters;

  @Test
  void readsFromMemoryBeforeAndFromTheFileAfterARegionIsWritten() {
    assertThat(flash.read(0, 0)).isFalse();
    flash.offerAll(0, OF_REGION - 1);
    assertThat(counters.dataCacheFlashWrittenBytes.sum()).isZero();
    assertThat(flash.read(3, 0)).isTrue();
    flash.offerAll(OF_REGION - 1, OF_REGION);
    assertThat(counters.dataCacheFlashWrittenBytes.sum()).isEqualTo(Region.BYTES);
    for (int id = 0; id < OF_REGION; id++) {
      assertThat(flash.read(id, 0)).isTrue();
      assertThat(flash.read(id, 1)).isFalse();
    }
    assertThat(counters.dataCacheFlashHits.sum()).isEqualTo(OF_REGION + 1);
    assertThat(counters.dataCacheFlashHitBytes.sum()).isEqualTo((OF_REGION + 1L) * CHUNK);
    assertThat(counters.dataCacheFlashAdmittedBytes.sum()).isEqualTo((long) OF_REGION * CHUNK);
    assertThat(tier.cachedBytes()).isEqualTo((long) OF_REGION * CHUNK);
  }

  @Test
  void takesShortChunksAndEachOnce() {
    assertThat(flash.offer(5, 3)).isTrue();
    assertThat(flash.offer(5, 3)).as("again").isTrue();
    assertThat(tier.cachedBytes()).isEqualTo(CHUNK);
    flash.offerAll(10, 10 + OF_REGION);
    assertThat(flash.read(5, 3)).isTrue();
    BlockKey block = TierFixture.block(5);
    assertThat(tier.read(block, 3, CHUNK, TierFixture.memory())).as("another length").isFalse();
  }

  @Test
  void evictsTheOldestRegionWhenAllAreInUse() {
    // One region is filled and one is open behind it.
    flash.offerAll(0, ALL - 2 * OF_REGION);
    assertThat(tier.holds(TierFixture.block(0), 0)).isTrue();
    flash.offerAll(ALL - 2 * OF_REGION, ALL - OF_REGION);
    assertThat(tier.holds(TierFixture.block(OF_REGION - 1), 0)).isFalse();
    assertThat(tier.holds(TierFixture.block(OF_REGION), 0)).isTrue();
    flash.offerAll(ALL - OF_REGION, 3 * ALL);
    for (int id = 2 * ALL; id < 3 * ALL - 1; id++) {
      assertThat(tier.holds(TierFixture.block(id), 0)).isEqualTo(id >= 2 * ALL + 2 * OF_REGION);
    }
    for (int id = 3 * ALL - OF_REGION; id < 3 * ALL; id++) {
      assertThat(flash.read(id, 0)).isTrue();
    }
    assertThat(tier.cachedBytes()).isLessThanOrEqualTo((long) ALL * CHUNK);
  }

  @Test
  void chunkThatWasHitGoesRoundOnceForEachHit() {
    flash.offerAll(0, OF_REGION);
    for (int i = 0; i < 2; i++) {
      assertThat(flash.read(7, 0)).isTrue();
    }
    flash.offerAll(1000, 1000 + ALL);
    assertThat(tier.holds(TierFixture.block(6), 0)).isFalse();
    assertThat(tier.holds(TierFixture.block(7), 0)).as("one hit left").isTrue();
    flash.offerAll(2000, 2000 + ALL);
    assertThat(tier.holds(TierFixture.block(7), 0)).as("no hit left").isTrue();
    flash.offerAll(3000, 3000 + ALL);
    assertThat(tier.holds(TierFixture.block(7), 0)).isFalse();
  }

  @Test
  void atMostHalfOfARegionGoesRoundAndReadsRightThen() {
    flash.offerAll(0, OF_REGION);
    for (int id = 0; id < OF_REGION; id++) {
      assertThat(flash.read(id, 0)).isTrue();
    }
    flash.offerAll(1000, 1000 + ALL);
    for (int id = 0; id < OF_REGION; id++) {
      assertThat(flash.read(id, 0)).isEqualTo(id < OF_REGION / 2);
    }
    assertThat(counters.dataCacheFlashChecksumFailures.sum()).isZero();
  }

  @Test
  void fileThatWasAlteredHasMissesAndNoWrongBytes() {
    flash.offerAll(0, 2 * OF_REGION);
    for (int id = 0; id < OF_REGION; id++) {
      flash.file.bytes()[RegionWriter.HEADER_BYTES + id * CHUNK + 97 * id] ^= 0x10;
    }
    for (int id = 0; id < 2 * OF_REGION; id++) {
      assertThat(flash.read(id, 0)).isEqualTo(id >= OF_REGION);
    }
    assertThat(counters.dataCacheFlashChecksumFailures.sum()).isEqualTo(OF_REGION);
    assertThat(tier.holds(TierFixture.block(0), 0)).as("it is gone").isFalse();
    assertThat(flash.offer(0, 0) && flash.read(0, 0)).as("and can come again").isTrue();
  }

  @Test
  void chunksThatChangedPlacesAreNotTakenForEachOther() {
    flash.offerAll(0, OF_REGION);
    byte[] bytes = flash.file.bytes();
    System.arraycopy(
        bytes, RegionWriter.HEADER_BYTES, bytes, RegionWriter.HEADER_BYTES + CHUNK, CHUNK);
    assertThat(flash.read(0, 0)).isTrue();
    assertThat(flash.read(1, 0)).isFalse();
  }

  @Test
  void anotherStartKnowsNothingOfTheFile() {
    flash.offerAll(0, OF_REGION);
    FlashTier next = new FlashTier(flash.file, CHUNK, 43, counters);
    assertThat(next.holds(TierFixture.block(0), 0)).isFalse();
    ChunkSums before = new ChunkSums(42);
    ChunkSums after = new ChunkSums(43);
    ByteBuffer bytes = TierFixture.memory();
    BlockKey block = TierFixture.block(1);
    assertThat(after.hash(block, 0)).isNotEqualTo(before.hash(block, 0));
    assertThat(after.sum(block, 0, 9, bytes)).isNotEqualTo(before.sum(block, 0, 9, bytes));
  }

  @Test
  void readThatRacesWithTheNextUseOfItsRegionIsAMissAndNoFailure() {
    flash.offerAll(0, OF_REGION);
    flash.file.beforeNextRead(() -> flash.offerAll(1000, 1000 + 2 * ALL));
    assertThat(flash.read(1, 0)).isFalse();
    assertThat(counters.dataCacheFlashChecksumFailures.sum()).isZero();
    assertThat(counters.dataCacheFlashFailures.sum()).isZero();
  }

  @Test
  void dropTakesTheBlockAloneAndWhatIsOnItsWay() {
    BlockKey block = TierFixture.block(1);
    for (int chunk = 0; chunk < 4; chunk++) {
      assertThat(flash.offer(1, chunk) && flash.offer(2, chunk)).isTrue();
    }
    int ticket = tier.ticket(block);
    tier.drop(block, 0, 4);
    for (int chunk = 0; chunk < 4; chunk++) {
      assertThat(flash.read(1, chunk)).isFalse();
      assertThat(flash.read(2, chunk)).isTrue();
    }
    ByteBuffer bytes = TierFixture.memory();
    TierFixture.fill(1, 0, bytes);
    assertThat(tier.offer(block, 0, CHUNK, bytes, ticket)).as("on its way").isFalse();
    assertThat(tier.offer(block, 0, CHUNK, bytes, tier.ticket(block))).isTrue();
  }

  @Test
  void chunkThatIsDroppedWhileItsRegionIsReadToGoRoundDoesNot() {
    flash.offerAll(0, OF_REGION);
    assertThat(flash.read(3, 0) && flash.read(4, 0)).isTrue();
    flash.offerAll(1000, 1000 + ALL - 2 * OF_REGION - 1);
    flash.file.beforeNextRead(() -> tier.drop(TierFixture.block(3), 0, 1));
    flash.offerAll(2000, 2000 + 2 * OF_REGION);
    assertThat(flash.read(3, 0)).isFalse();
    assertThat(flash.read(4, 0)).isTrue();
  }

  @Test
  void whatComesFasterThanTheFileIsNotKept() {
    for (int id = 0; id < 2 * OF_REGION; id++) {
      assertThat(flash.offer(id, 0)).isTrue();
    }
    assertThat(flash.offer(9999, 0)).isFalse();
    assertThat(counters.dataCacheFlashSkips.sum()).isEqualTo(1);
    flash.settle();
    assertThat(flash.offer(9999, 0)).isTrue();
    assertThat(flash.read(0, 0) && flash.read(9999, 0)).isTrue();
  }

  @Test
  void fullDiskSwitchesItOff() {
    flash.file.fail(null, new IOException("No space left on device"));
    for (int id = 0; id < OF_REGION; id++) {
      assertThat(flash.offer(id, 0)).isTrue();
    }
    flash.settle();
    assertOff();
  }

  @Test
  void failedReadSwitchesItOff() {
    flash.offerAll(0, OF_REGION);
    flash.file.fail(new IOException("Input/output error"), null);
    assertThat(flash.read(0, 0)).isFalse();
    assertOff();
  }

  private void assertOff() {
    assertThat(flash.read(0, 0)).isFalse();
    assertThat(flash.offer(1, 0)).isFalse();
    assertThat(tier.cachedBytes()).isZero();
    tier.drop(TierFixture.block(0), 0, 4);
    flash.settle();
    assertThat(counters.dataCacheFlashFailures.sum()).isEqualTo(1);
  }

  @Test
  void closeForgetsAllAndClosesTheFile() {
    flash.offerAll(0, OF_REGION);
    tier.close();
    assertThat(flash.file.isClosed()).isTrue();
    assertThat(flash.read(0, 0)).isFalse();
    assertThat(flash.offer(1, 0)).isFalse();
    assertThat(counters.dataCacheFlashFailures.sum()).isZero();
  }

  @Test
  void closeNeitherInterruptsAWriteNorTakesTheFileFromIt() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean undisturbed = new AtomicBoolean();
    flash.file.beforeNextWrite(
        () -> {
          begun.countDown();
          try {
            undisturbed.set(goOn.await(300, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            undisturbed.set(false);
          }
        });
    tier.start();
    for (int id = 0; id < OF_REGION; id++) {
      assertThat(flash.offer(id, 0)).isTrue();
    }
    assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
    Thread.currentThread().interrupt();
    tier.close(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(Thread.interrupted()).as("kept").isTrue();
    assertThat(flash.file.isClosed()).isFalse();
    goOn.countDown();
    tier.close(TimeUnit.SECONDS.toNanos(300));
    assertThat(flash.file.isClosed()).isTrue();
    assertThat(undisturbed).isTrue();
  }

  @Test
  void refusesAFileThatIsTooSmall() {
    MemoryFlashFile small = new MemoryFlashFile(FlashTier.MIN_BYTES - 4096);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FlashTier(small, CHUNK, 1, counters))
        .withMessageContaining(Long.toString(FlashTier.MIN_BYTES));
  }
}
