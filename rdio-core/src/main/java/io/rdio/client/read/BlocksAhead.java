// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * First bytes of blocks that are about to be opened, because a reader comes to the end of the block
 * before. Hadoop opens each block with an accessor of its own, which takes up here what the one
 * before has begun.
 *
 * <p>Bounded in number and in age: what nobody takes up was read in vain, and its memory is wanted
 * elsewhere. Safe for any number of threads; a reader never waits here.
 */
public final class BlocksAhead implements AutoCloseable {
  private static final int MAX_BLOCKS = 16;

  /** Readers that get through what they begin more slowly wait for no device. */
  private static final Duration MAX_AGE = Duration.ofSeconds(1);

  private final FileMapSource maps;
  private final DeviceDirectory devices;
  private final WindowPool windows;
  private final ReadAheadPool readAheads;
  private final MonotonicClock clock;
  private final ClientCounters counters;
  private final Cache<BlockKey, Begun> begun;
  private volatile boolean closed;

  /** A block's windows under way, and the map that they are read by. */
  record Begun(MappedReplica replica, ReadAhead ahead, AtomicBoolean gone) {}

  public BlocksAhead(
      FileMapSource maps,
      DeviceDirectory devices,
      WindowPool windows,
      ReadAheadPool readAheads,
      MonotonicClock clock,
      ClientCounters counters) {
    this.maps = maps;
    this.devices = devices;
    this.windows = windows;
    this.readAheads = readAheads;
    this.clock = clock;
    this.counters = counters;
    this.begun =
        Caffeine.newBuilder()
            .maximumSize(MAX_BLOCKS)
            .expireAfterWrite(MAX_AGE)
            .scheduler(Scheduler.systemScheduler())
            .executor(readAheads::execute)
            .removalListener(
                (@Nullable BlockKey block, @Nullable Begun ahead, RemovalCause cause) -> {
                  // Once: where no thread is to be had this is called, and called again when there
                  // is one.
                  if (cause.wasEvicted()
                      && ahead != null
                      && ahead.gone().compareAndSet(false, true)) {
                    readAheads.giveBackUnwaited(ahead.ahead());
                  }
                })
            .build();
  }

  /**
   * Begins to read the block behind one in its file, if its map is in memory and memory for its
   * bytes is plentiful. Never fails: who opens that block finds out what is wrong with it.
   *
   * @param verify whether its reader will check bytes against their CRCs
   * @param lead bytes to begin with; fewer where memory is less plentiful
   */
  void beginBehind(BlockRequest request, boolean verify, int lead) {
    FileMap map = closed ? null : maps.following(request);
    if (map == null || begun.asMap().containsKey(map.block())) {
      return;
    }
    long keepable = windows.keepable(lead, 0);
    if (keepable < ReadGeometry.NEXT_BLOCK) {
      return;
    }
    ReadAhead ahead = readAheads.tryBorrow(clock);
    if (ahead == null) {
      return;
    }
    boolean kept = false;
    try {
      if (ahead.hasQueue()) {
        MappedReplica replica = replica(map, verify);
        ahead.begin(replica, keepable < lead ? ReadGeometry.NEXT_BLOCK : lead);
        counters.blocksAhead.increment();
        kept =
            begun.asMap().putIfAbsent(map.block(), new Begun(replica, ahead, new AtomicBoolean()))
                == null;
      }
    } catch (FallbackException e) {
      // Its reader will see, and say, the same.
    } finally {
      if (!kept) {
        readAheads.giveBackUnwaited(ahead);
      } else if (closed) {
        close();
      }
    }
  }

  private MappedReplica replica(FileMap map, boolean verify) throws FallbackException {
    BlockDevice device = map.resolve(devices);
    return MappedReplica.of(map, maps, device, verify, map.blockLength(), windows.largestWindow());
  }

  /**
   * What was begun of a block, for the reader that opens it; it is the reader's from now on. Null
   * if nothing was, or by another map.
   *
   * @param length where that reader stops: a positional read of a part takes nothing from whoever
   *     reads in order
   */
  @Nullable Begun take(MappedReplica replica, long length) {
    BlockKey block = replica.map().block();
    Begun found = length < replica.map().blockLength() ? null : begun.asMap().remove(block);
    if (found == null) {
      return null;
    }
    if (!found.replica().equals(replica)) {
      readAheads.giveBackUnwaited(found.ahead());
      return null;
    }
    counters.blocksAheadUsed.increment();
    return found;
  }

  /** Gives back what nobody took up; begins nothing more. */
  @Override
  public void close() {
    closed = true;
    for (BlockKey block : begun.asMap().keySet()) {
      Begun found = begun.asMap().remove(block);
      if (found != null) {
        readAheads.giveBackUnwaited(found.ahead());
      }
    }
  }
}
