// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where readers get file maps from. Thread-safe. */
public interface FileMapSource {
  /**
   * A reader is about to ask for a block's map: for all that it reads in order, for one read by
   * position, or for a set of ranges. Said once for each of these, however often {@link #get} is
   * called for it; whoever records requests goes by this. Does not wait.
   */
  default void requested(BlockKey block) {}

  /**
   * A map whose lease is valid now; from memory without waiting, or granted by a DataNode while the
   * caller waits (bounded by the RPC timeout).
   *
   * @throws FallbackException with the reason why stock HDFS must serve this block
   */
  FileMap get(BlockRequest request) throws FallbackException;

  /** The load of a map that somebody else does. */
  interface Load {
    Load DONE = () -> true;

    /** True once {@link #get} has nothing to wait for, be it granted or refused. Does not wait. */
    boolean isDone();
  }

  /** True if a map is in memory that may be read by. */
  boolean holds(BlockKey block);

  /**
   * Whether DataNodes do not answer at present at whose blocks stock HDFS would fail, and {@link
   * #get} need not. Does not wait.
   */
  default boolean hasSilentDataNodes() {
    return false;
  }

  /**
   * Whether stock HDFS might wait in vain for a DataNode of this block, whose map {@link #get} has
   * all the same. Its DataNodes are asked, unless they answered a moment ago; that is waited for,
   * about as long as in {@link #get}.
   */
  default boolean mayBeSilent(BlockRequest request) {
    return false;
  }

  /**
   * The map of the block that follows one in its file, if it is in memory and may be read by; else
   * null, and if that block is known without asking anybody, its map is loaded in the background.
   */
  @Nullable FileMap following(BlockRequest request);

  /**
   * Has a map loaded in the background, for a caller with something better to do than to wait.
   *
   * @return done at once where the map is in memory, and where the caller had better wait in {@link
   *     #get}: because the last load was refused, or too many are under way
   */
  Load begin(BlockRequest request);

  /** Of how many replicas of one block maps are kept, at most. */
  default int replicas() {
    return 1;
  }

  /**
   * Maps of other replicas than that of a map, which are in memory and may be read by. Where there
   * could be more they are loaded in the background.
   *
   * @param to takes them, from its start on
   * @return how many there are; 0 where only one of each block is kept
   */
  default int others(BlockRequest request, FileMap than, @Nullable FileMap[] to) {
    return 0;
  }

  /**
   * Drops a map that turned out unusable and ends its lease, so that the next {@link #get} loads a
   * new one, from another replica if there is one. CHECKSUM_MISMATCH on a map that was itself the
   * replacement of such a one quarantines the block.
   */
  void reject(FileMap map, FallbackReason reason);

  /**
   * Keeps CRCs that were read under the map's lease for as long as the map is kept, if there is
   * memory for them.
   *
   * @param page which of the map's {@link io.rdio.client.plane.ChunkCrcs} pages
   * @param pages how many there are
   */
  void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length);
}
