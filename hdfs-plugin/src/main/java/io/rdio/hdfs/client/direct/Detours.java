// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When stock HDFS serves what the device could. Thread-safe. */
public final class Detours {
  /** Read once, to remember; of about 100 bytes each. */
  private static final int MAX_BLOCKS = 100_000;

  private static final Duration MEMORY = Duration.ofHours(1);

  /** Not begun yet. */
  static final FileMapSource.Load LATER = () -> false;

  /** None. */
  public static final Detours NONE = new Detours(0, false, null);

  private final long firstBytes;
  private final boolean pastDataNodes;
  private final @Nullable Routers routers;
  private final Cache<BlockKey, Boolean> readOnce =
      Caffeine.newBuilder().maximumSize(MAX_BLOCKS).expireAfterWrite(MEMORY).build();

  /**
   * @param firstBytes of a block, while its map is on its way; 0 to wait for the map
   * @param pastDataNodes whether maps can be had of blocks whose DataNodes are dead
   * @param routers that find out which way is the faster one; null to always prefer the device
   */
  public Detours(long firstBytes, boolean pastDataNodes, @Nullable Routers routers) {
    this.firstBytes = firstBytes;
    this.pastDataNodes = pastDataNodes;
    this.routers = routers;
  }

  /** How much of a block stock HDFS may serve while its map is on its way, in bytes. */
  long firstBytes() {
    return firstBytes;
  }

  /** What finds out which way is the faster one; null to always prefer the device. */
  @Nullable Routers routers() {
    return routers;
  }

  /**
   * Whether, and when, the map of a block is to be loaded that is not here. A grant costs a
   * DataNode more than sending a few bytes does, and pays when more is read: so it is asked for
   * when somebody comes for the second time.
   *
   * <p>Where DataNodes may be dead, stock HDFS waits for a minute at a host that is gone, and may
   * fail in the end. So nobody is sent to it before the block's DataNodes have answered, for which
   * this waits, or while any DataNode is silent. Who wants little waits for the map at the second
   * visit all the same: stock HDFS may have failed at the first one.
   *
   * @param end where the reader stops, in bytes from the block's start
   * @return done if its reader is to wait for it; else the reader takes the first bytes meanwhile,
   *     and with {@link #LATER} begins the load when it goes on reading
   * @throws FallbackException FIRST_READ or MAP_LOADING where stock HDFS is to read all of it
   */
  public FileMapSource.Load begin(FileMapSource maps, BlockRequest request, long end)
      throws FallbackException {
    if (firstBytes == 0 || maps.holds(request.block()) || maps.hasSilentDataNodes()) {
      return FileMapSource.Load.DONE;
    }
    boolean small = end <= firstBytes;
    if (small && isAskedForOnce(request.block())) {
      return FileMapSource.Load.DONE;
    }
    boolean first = readOnce.asMap().putIfAbsent(request.block(), true) == null;
    boolean again = small && !first;
    if (pastDataNodes && (again || maps.mayBeSilent(request))) {
      return FileMapSource.Load.DONE;
    }
    if (first) {
      if (small) {
        throw new FallbackException(FallbackReason.FIRST_READ, request.block().toString());
      }
      return LATER;
    }
    FileMapSource.Load load = maps.begin(request);
    if (small && !load.isDone()) {
      throw new FallbackException(FallbackReason.MAP_LOADING, request.block().toString());
    }
    return load;
  }

  /**
   * HDFS's striped stream takes a block for lost that its DataNode does not serve: it does not come
   * a second time, and beyond the parity it fails at once. So where the map may be had all the same
   * there is no first visit to stock HDFS.
   */
  private boolean isAskedForOnce(BlockKey block) {
    return pastDataNodes && block.isErasureCoded();
  }
}
