// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.Trace;
import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.datacache.flash.FlashFile;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The block data cache of clients with its flash tier, as it is, by which a trace is replayed: each
 * object is a chunk. Of each hit the bytes are compared. For one thread.
 */
final class TierReplay {
  /** Bytes of a chunk: of the smallest ones a file of some size has the most. */
  static final int CHUNK = ReadGeometry.SMALLEST_CHUNK;

  private static final long SEED = 42;

  /** A power of two: requests between two looks at the deadline. */
  private static final int LOOK_EVERY = 1 << 12;

  /**
   * Where the file is too slow for what is evicted. A trace has no time between its requests, and
   * what is asked for is what is admitted, not how fast the disk below the file is.
   */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Trace trace;
  private final BlockDataCache cache;
  private final ClientCounters counters;
  private final FileMap map;
  private final ByteBuffer got = ByteBuffer.allocateDirect(CHUNK);
  private long misses;

  /**
   * What came of a trace.
   *
   * @param missRatio of all requests
   * @param writeRatio chunks written to the file for each different one of the trace
   * @param skipRatio of the chunks that the file should have had, those that it was too slow for
   */
  record Outcome(double missRatio, double writeRatio, double skipRatio) {}

  private TierReplay(Trace trace, BlockDataCache cache, ClientCounters counters) {
    this.trace = trace;
    this.cache = cache;
    this.counters = counters;
    this.map = map(trace.objects());
  }

  /**
   * Replays a trace, from an empty cache on.
   *
   * @param file of the tier, of {@link FlashTier#MIN_BYTES} at least; closed with this
   * @param memory in chunks, at least {@link BlockDataCache#MIN_CHUNKS}
   * @throws IOException if the file fails, a hit has wrong bytes, or there is no time left
   */
  static Outcome replay(Trace trace, FlashFile file, int memory, Deadline deadline)
      throws IOException {
    ClientCounters counters = new ClientCounters();
    try (FlashFile closed = file;
        BlockDataCache cache = open(closed, memory, counters)) {
      return new TierReplay(trace, cache, counters).replay(deadline);
    }
  }

  private static BlockDataCache open(FlashFile file, int memory, ClientCounters counters) {
    FlashTier tier = new FlashTier(file, CHUNK, SEED, counters);
    boolean opened = false;
    try {
      tier.start();
      BlockDataCache cache =
          new BlockDataCache((long) memory * CHUNK, CHUNK, System::nanoTime, counters, tier);
      opened = true;
      return cache;
    } finally {
      if (!opened) {
        tier.close();
      }
    }
  }

  /** Of a block that has all objects, under a lease that outlives the replay. */
  private static FileMap map(int objects) {
    long now = System.nanoTime();
    return new FileMap(
        new BlockKey("BP-1-127.0.0.1-1", 1, 1001),
        new GrantOrigin(
            "datanode:9860",
            1,
            "DS-1",
            new DeviceIdentity("ext4", new UUID(1, 2), 1L << 60, "", 0, "/dev/x"),
            0,
            1,
            new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7)),
        (long) objects * CHUNK,
        ExtentList.EMPTY,
        ExtentList.EMPTY,
        new Lease(1, 1, now, now + TimeUnit.DAYS.toNanos(1)));
  }

  private Outcome replay(Deadline deadline) throws IOException {
    for (int i = 0; i < trace.length(); i++) {
      if ((i & (LOOK_EVERY - 1)) == 0) {
        deadline.check();
      }
      long skips = counters.dataCacheFlashSkips.sum();
      request(trace.object(i));
      if (counters.dataCacheFlashSkips.sum() > skips) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    if (counters.dataCacheFlashFailures.sum() > 0) {
      throw new IOException("the flash tier's file failed: what was logged says why");
    }
    return outcome();
  }

  /** As readers of blocks do it: a chunk is cached when it is missed again, not long after. */
  private void request(int object) throws IOException {
    long offset = (long) object * CHUNK;
    if (cache.read(map, offset, got, 0, CHUNK) == CHUNK) {
      requireRight(object, offset);
      return;
    }
    misses++;
    if (cache.admits(map.block(), offset, offset + CHUNK)) {
      cache.insert(map, offset, offset + CHUNK, TierReplay::fill);
    }
  }

  /** A chunk begins and ends with what only it has. */
  private static int fill(long offset, ByteBuffer to, int at, int length) {
    to.putLong(at, offset);
    to.putLong(at + length - Long.BYTES, ~offset);
    return length;
  }

  private void requireRight(int object, long offset) throws IOException {
    if (got.getLong(0) != offset || got.getLong(CHUNK - Long.BYTES) != ~offset) {
      throw new IOException("WRONG: the cache has other bytes for object " + object);
    }
  }

  private Outcome outcome() {
    double written = (double) counters.dataCacheFlashWrittenBytes.sum() / CHUNK;
    double admitted = (double) counters.dataCacheFlashAdmittedBytes.sum() / CHUNK;
    double skips = counters.dataCacheFlashSkips.sum();
    return new Outcome(
        (double) misses / trace.length(),
        written / trace.objects(),
        skips / Math.max(1, skips + admitted));
  }
}
