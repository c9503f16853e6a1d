// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class CachedMapsTest {
  private static final GrantOrigin ORIGIN =
      new GrantOrigin(
          "datanode:9860",
          1,
          "DS-1",
          new DeviceIdentity("ext4", new UUID(1, 2), 1L << 40, "", 0, "/dev/x"),
          0,
          1,
          new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7));

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Queue<FileMap> removed = new ConcurrentLinkedQueue<>();

  private static FileMap map(long blockId, long usedNanos) {
    return new FileMap(
        new BlockKey("BP-1", blockId, 1001),
        ORIGIN,
        0,
        ExtentList.EMPTY,
        ExtentList.EMPTY,
        new Lease(blockId, 1, usedNanos, usedNanos + 60 * SECOND));
  }

  private static long bytesEach() {
    CachedMaps one = new CachedMaps(Long.MAX_VALUE, map -> {});
    one.add(map(1, 0));
    return one.bytes();
  }

  @Test
  void staysWithinItsBound() {
    int room = 1000;
    CachedMaps maps = new CachedMaps(room * bytesEach(), removed::add);
    for (int id = 0; id < room + room / 4; id++) {
      maps.add(map(id, 0));
    }
    maps.cleanUp();
    assertThat(maps.size()).isEqualTo(room);
    assertThat(removed).hasSize(room / 4);
    assertThat(removed).allMatch(map -> maps.find(map.block()) == null);
    assertThat(removed).as("evicted").allMatch(FileMap::isDropped);
  }

  @Test
  void aMapTakesThePlaceOfTheOneBefore() {
    CachedMaps maps = new CachedMaps(Long.MAX_VALUE, removed::add);
    FileMap first = map(1, 0);
    FileMap second = map(1, 0);
    maps.add(first);
    maps.add(second);
    maps.remove(first);
    assertThat(removed).containsExactly(first);
    assertThat(maps.find(new BlockKey("BP-1", 1, 1001))).isSameAs(second);
    assertThat(maps.bytes()).isEqualTo(bytesEach());
  }

  @Test
  void aMapKnowsThatItHasLeft() {
    CachedMaps maps = new CachedMaps(Long.MAX_VALUE, removed::add);
    FileMap first = map(1, 0);
    FileMap second = map(1, 0);
    maps.add(first);
    assertThat(first.isDropped()).isFalse();
    maps.add(second);
    assertThat(first.isDropped()).as("replaced").isTrue();
    assertThat(second.isDropped()).isFalse();
    maps.remove(second);
    assertThat(second.isDropped()).as("taken out").isTrue();
  }

  @Test
  void aMapThatNeverFitsDoesNotStay() {
    CachedMaps maps = new CachedMaps(bytesEach() - 1, removed::add);
    maps.add(map(1, 0));
    maps.cleanUp();
    assertThat(removed).hasSize(1);
    assertThat(maps.bytes()).isZero();
  }

  /** Added, replaced, removed and evicted at once: each map leaves once, and the sum is right. */
  @Test
  void everyMapLeavesOnce() throws Exception {
    int room = 200;
    CachedMaps maps = new CachedMaps(room * bytesEach(), removed::add);
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      writers.add(CompletableFuture.supplyAsync(() -> addAndRemove(maps, random)));
    }
    int added = 0;
    for (CompletableFuture<Integer> writer : writers) {
      added += writer.get();
    }
    maps.cleanUp();
    assertThat(new HashSet<>(removed)).hasSameSizeAs(removed);
    assertThat(removed.size() + maps.size()).isEqualTo(added);
    assertThat(maps.bytes()).isEqualTo(maps.size() * bytesEach());
    assertThat(maps.size()).isBetween(1L, (long) room);
    maps.clear();
    maps.cleanUp();
    assertThat(maps.bytes()).isZero();
    assertThat(removed).hasSize(added);
  }

  private static int addAndRemove(CachedMaps maps, Random random) {
    int rounds = 20_000;
    for (int i = 0; i < rounds; i++) {
      maps.add(map(random.nextInt(500), i));
      FileMap other = maps.find(new BlockKey("BP-1", random.nextInt(500), 1001));
      if (other != null && random.nextInt(4) == 0) {
        maps.remove(other);
      }
    }
    return rounds;
  }
}
