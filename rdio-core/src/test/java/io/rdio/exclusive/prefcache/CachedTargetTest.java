// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A device in memory, through the off-heap store: no read may ever see an older write. */
@Timeout(120)
class CachedTargetTest {
  private static final int BLOCK = 512;
  private static final int SEGMENT = 8;
  private static final int BLOCKS = 256;
  private static final int RUN = 32;

  /** Slow enough that threads meet in the middle of an I/O. */
  private static final class MemoryDisk implements CachedTarget.Disk, OffHeapStore.BlockReader {
    private final ByteBuffer bytes = ByteBuffer.allocate(BLOCKS * BLOCK);
    volatile boolean failing;

    @Override
    public void read(int device, long firstBlock, ByteBuffer to) throws IOException {
      read(firstBlock, to);
    }

    @Override
    public void read(long firstBlock, ByteBuffer to) throws IOException {
      fail();
      for (long block = firstBlock; to.hasRemaining(); block++) {
        to.put(bytes.slice((int) block * BLOCK, BLOCK));
        LockSupport.parkNanos(1);
      }
    }

    @Override
    public void write(long firstBlock, ByteBuffer from) throws IOException {
      for (long block = firstBlock; from.hasRemaining(); block++) {
        bytes.put((int) block * BLOCK, from, from.position(), BLOCK);
        from.position(from.position() + BLOCK);
        LockSupport.parkNanos(1);
        fail();
      }
    }

    private void fail() throws IOException {
      if (failing) {
        throw new IOException("on purpose");
      }
    }
  }

  private final MemoryDisk disk = new MemoryDisk();

  private final class Fixture {
    final OffHeapStore store;
    final PrefCache cache;
    final CachedTarget target;

    Fixture(int capacitySegments, OnWrite onWrite) {
      long capacity = (long) capacitySegments * SEGMENT * BLOCK;
      store = new OffHeapStore(BLOCK, capacity, RUN, disk);
      cache =
          new PrefCache(
              listener ->
                  new SegmentCache(
                      new SegmentGeometry(BLOCK, SEGMENT * BLOCK),
                      capacity,
                      SegmentCache.DROP_AT,
                      SegmentPolicy.FIFO,
                      onWrite,
                      listener),
              store,
              new PrefetchQueue(64, RUN));
      target = new CachedTarget(cache, store, 0, BLOCK, onWrite, disk);
    }

    int read(long first, int blocks, byte expected) throws Exception {
      ByteBuffer to = ByteBuffer.allocate(blocks * BLOCK);
      int hits = target.read(first, to);
      assertThat(to.hasRemaining()).isFalse();
      for (byte b : to.array()) {
        assertThat(b).isEqualTo(expected);
      }
      return hits;
    }

    void write(long first, int blocks, byte value) throws Exception {
      target.write(first, filled(blocks, value));
    }

    void prefetchAll() throws Exception {
      while (cache.queuedBlocks() > 0) {
        cache.prefetchNext();
      }
    }
  }

  private static ByteBuffer filled(int blocks, byte value) {
    byte[] bytes = new byte[blocks * BLOCK];
    java.util.Arrays.fill(bytes, value);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void whatWasEvictedComesFromMemoryOnce() throws Exception {
    Fixture fixture = new Fixture(8, OnWrite.DROP);
    fixture.write(0, 32, (byte) 1);
    fixture.cache.evicted(0, 0, 32);
    fixture.prefetchAll();
    assertThat(fixture.store.residentBytes()).hasValue(32L * BLOCK);
    disk.failing = true;
    assertThat(fixture.read(0, 32, (byte) 1)).isEqualTo(32);
    disk.failing = false;
    assertThat(fixture.store.residentBytes()).hasValue(0);
    assertThat(fixture.read(0, 32, (byte) 1)).isZero();
  }

  @Test
  void aWriteUpdatesMemoryOrDropsWhatIsThere() throws Exception {
    for (OnWrite onWrite : OnWrite.values()) {
      Fixture fixture = new Fixture(8, onWrite);
      fixture.write(0, 8, (byte) 1);
      fixture.cache.evicted(0, 0, 8);
      fixture.prefetchAll();
      fixture.write(0, 8, (byte) 2);
      assertThat(fixture.read(0, 8, (byte) 2)).isEqualTo(onWrite == OnWrite.UPDATE ? 8 : 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriteThatFailedHalfWayLeavesNothingOldInMemory(OnWrite onWrite) throws Exception {
    Fixture fixture = new Fixture(8, onWrite);
    fixture.cache.evicted(0, 0, 8);
    fixture.prefetchAll();
    disk.failing = true;
    assertThatThrownBy(() -> fixture.write(0, 8, (byte) 3)).hasMessage("on purpose");
    disk.failing = false;
    assertThat(fixture.read(0, 1, (byte) 3)).isZero();
    assertThat(fixture.read(1, 7, (byte) 0)).isZero();
  }

  @Test
  void aPrefetchThatFailsLeavesNothingAndTheNextOneServes() throws Exception {
    Fixture fixture = new Fixture(8, OnWrite.DROP);
    fixture.cache.evicted(0, 0, 8);
    disk.failing = true;
    assertThatThrownBy(fixture::prefetchAll).hasMessage("on purpose");
    disk.failing = false;
    assertThat(fixture.store.residentBytes()).hasValue(0);
    assertThat(fixture.cache.counts().givenUp()).isEqualTo(8);
    fixture.cache.evicted(0, 0, 8);
    fixture.prefetchAll();
    assertThat(fixture.read(0, 8, (byte) 0)).isEqualTo(8);
  }

  /** Each thread writes and reads blocks of its own; all evict and prefetch everybody's. */
  @ParameterizedTest
  @EnumSource
  void noReadEverSeesAnOlderWrite(OnWrite onWrite) throws Exception {
    int threads = 4;
    int own = BLOCKS / threads;
    Fixture fixture = new Fixture(BLOCKS / SEGMENT / 2, onWrite);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(threads + 1);
    Future<?> prefetching =
        pool.submit(
            () -> {
              while (!done.get()) {
                fixture.cache.prefetchNext();
              }
              return null;
            });
    List<Future<Integer>> workers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int base = t * own;
      Random random = new Random(t);
      workers.add(pool.submit(() -> work(fixture, random, base, own)));
    }
    int hits = 0;
    for (Future<Integer> worker : workers) {
      hits += worker.get();
    }
    done.set(true);
    prefetching.get();
    pool.shutdown();
    assertThat(hits).as("reads from memory, else this has shown nothing").isPositive();
    SegmentCounts counts = fixture.cache.counts();
    assertThat(fixture.store.residentBytes()).hasValue(counts.resident() * BLOCK);
    assertThat(counts.hits()).isEqualTo(hits);
  }

  private static int work(Fixture fixture, Random random, int base, int own) throws Exception {
    byte[] newest = new byte[own];
    int hits = 0;
    for (int i = 0; i < 1500; i++) {
      int first = random.nextInt(own);
      int count = 1 + random.nextInt(Math.min(RUN, own - first));
      switch (random.nextInt(4)) {
        case 0 -> {
          byte value = (byte) (1 + random.nextInt(100));
          fixture.write(base + first, count, value);
          java.util.Arrays.fill(newest, first, first + count, value);
        }
        case 1 -> fixture.cache.evicted(0, random.nextInt(BLOCKS - RUN), RUN);
        default -> {
          ByteBuffer to = ByteBuffer.allocate(count * BLOCK);
          hits += fixture.target.read(base + first, to);
          for (int b = 0; b < count * BLOCK; b++) {
            assertThat(to.get(b)).isEqualTo(newest[first + b / BLOCK]);
          }
        }
      }
    }
    return hits;
  }
}
