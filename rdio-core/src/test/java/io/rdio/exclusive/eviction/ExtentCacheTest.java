// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.linux.ExtentWindow;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When the file system is asked, and when what it said is forgotten. */
final class ExtentCacheTest {
  private static final int BLOCK = 4096;
  private static final int DEVICE = 7 << 20;

  private record Place(long physical, long length, int slot, int epoch) {}

  private final ManualClock clock = new ManualClock();
  private final EvictionCounters counters = new EvictionCounters();
  private final List<String> asked = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final int[] epochOf = new int[16];
  private ExtentCache.Lookup files =
      (inode, generation, start, end, sync) ->
          Optional.of(
              ExtentWindow.of(start, end, start, 1000L * BLOCK * inode + start, end - start));

  private final ExtentEpochs epochs =
      new ExtentEpochs() {
        @Override
        public int slot(int kernelDevice, long inode) {
          assertThat(kernelDevice).isEqualTo(DEVICE);
          return (int) inode;
        }

        @Override
        public int epoch(int slot) {
          return epochOf[slot];
        }
      };

  private ExtentCache cache(long maxWeight) {
    return new ExtentCache(
        DEVICE,
        epochs,
        (inode, generation, start, end, sync) -> {
          asked.add(inode + "." + generation + "@" + start + (sync ? " sync" : ""));
          return files.window(inode, generation, start, end, sync);
        },
        clock,
        maxWeight,
        counters);
  }

  private void evict(ExtentCache cache, long inode, int generation, long block, int blocks) {
    cache.translate(
        new Eviction.OfFile(0, inode, generation, block * BLOCK, (long) blocks * BLOCK),
        (physical, length, slot, epoch) -> places.add(new Place(physical, length, slot, epoch)));
  }

  @Test
  void windowIsAskedForOnce() {
    ExtentCache cache = cache(1000);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 1, 5, 9, 1);

    assertThat(asked).containsExactly("1.5@0");
    assertThat(places)
        .containsExactly(
            new Place(1003L * BLOCK, 2 * BLOCK, 1, 0), new Place(1009L * BLOCK, BLOCK, 1, 0));
    assertThat(counters.extentHits.sum()).isEqualTo(1);
  }

  @Test
  void whereNothingMayBeKeptEachEvictionAsks() {
    ExtentCache cache = cache(0);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 1, 5, 9, 1);

    assertThat(asked).containsExactly("1.5@0", "1.5@0");
    assertThat(places).hasSize(2);
    assertThat(cache.weight()).isZero();
  }

  @Test
  void runAcrossWindowsIsCut() {
    int perWindow = (int) (ExtentCache.WINDOW_BYTES / BLOCK);

    evict(cache(1000), 1, 5, perWindow - 1, 2);

    assertThat(asked).containsExactly("1.5@0", "1.5@" + ExtentCache.WINDOW_BYTES);
    assertThat(places).hasSize(2);
  }

  @Test
  void changedExtentsAreAskedForAnew() {
    ExtentCache cache = cache(1000);
    evict(cache, 1, 5, 3, 2);
    epochOf[1]++;
    evict(cache, 1, 5, 3, 2);

    assertThat(asked).hasSize(2);
    assertThat(places).extracting(Place::epoch).containsExactly(0, 1);
    assertThat(counters.extentInvalidations.sum()).isEqualTo(1);
  }

  @Test
  void changeBetweenEpochAndAnswerShowsInWhatIsTold() {
    ExtentCache.Lookup before = files;
    files =
        (inode, generation, start, end, sync) -> {
          epochOf[1]++;
          return before.window(inode, generation, start, end, sync);
        };

    evict(cache(1000), 1, 5, 3, 2);

    assertThat(places).extracting(Place::epoch).containsExactly(0);
  }

  @Test
  void inodeOfAnotherGenerationIsAnotherFile() {
    ExtentCache cache = cache(1000);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 1, 6, 3, 2);

    assertThat(asked).containsExactly("1.5@0", "1.6@0");
  }

  @Test
  void holeIsAskedForWithWriteBackAndThenNotForASecond() {
    files =
        (inode, generation, start, end, sync) ->
            Optional.of(ExtentWindow.of(start, end, 4 * BLOCK, 100 * BLOCK, BLOCK));
    ExtentCache cache = cache(1000);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 1, 5, 3, 2);
    assertThat(asked).containsExactly("1.5@0", "1.5@0 sync");
    assertThat(places).hasSize(2).containsOnly(new Place(100 * BLOCK, BLOCK, 1, 0));
    assertThat(counters.unmappedBytes.sum()).isEqualTo(2 * BLOCK);

    clock.advance(Duration.ofSeconds(2));
    evict(cache, 1, 5, 3, 2);

    assertThat(asked).hasSize(3);
  }

  @Test
  void fileThatIsGoneHasNoPlace() {
    files = (inode, generation, start, end, sync) -> Optional.empty();

    evict(cache(1000), 1, 5, 3, 2);

    assertThat(places).isEmpty();
    assertThat(counters.unmappedBytes.sum()).isEqualTo(2 * BLOCK);
  }

  @Test
  void failureIsCountedAndSaid() {
    files =
        (inode, generation, start, end, sync) -> {
          throw new IOException("it needs CAP_DAC_READ_SEARCH");
        };

    evict(cache(1000), 1, 5, 3, 2);

    assertThat(places).isEmpty();
    assertThat(counters.lookupFailures.sum()).isEqualTo(1);
    assertThat(counters.lastLookupFailure()).contains("CAP_DAC_READ_SEARCH");
  }

  @Test
  void leastRecentlyUsedFilesGo() {
    int perFile = 2 * ExtentCache.EXTENTS_PER_WINDOW + 1;
    ExtentCache cache = cache(2L * perFile);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 2, 5, 3, 2);
    evict(cache, 1, 5, 3, 2);
    evict(cache, 3, 5, 3, 2);
    assertThat(cache.weight()).isEqualTo(2L * perFile);
    asked.clear();

    evict(cache, 1, 5, 3, 2);
    evict(cache, 2, 5, 3, 2);

    assertThat(asked).containsExactly("2.5@0");
  }

  @Test
  void filesThatCannotBeAskedForTakeNoUnboundedRoom() {
    files = (inode, generation, start, end, sync) -> Optional.empty();
    ExtentCache cache = cache(100);
    for (int i = 0; i < 1000; i++) {
      evict(cache, i % 16, i, 3, 2);
    }

    assertThat(cache.weight()).isLessThanOrEqualTo(100);
  }
}
