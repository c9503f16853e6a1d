// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockAsk;
import java.util.List;

/**
 * A metadata plane as the FileMap cache sees it: it knows where the bytes of replicas lie, and
 * vouches for that by the {@link Guard} of each map. Whom it asks is its own affair: the DataNode's
 * plugin ({@link io.rdio.client.plane.grant the plane of grants}), or the device itself.
 *
 * <p>A map that it gave out is <em>held</em> until it is settled, by {@link #discard} or {@link
 * #release}, or until {@link MapListener} is told that it is gone; afterwards settling it has no
 * effect. Thread-safe. Nothing happens by itself: somebody must call {@link #tend}.
 */
public interface MapPlane extends AutoCloseable {
  /** Has a listener told what becomes of maps: once, before the first of them is asked for. */
  void listen(MapListener listener);

  /**
   * The maps of some blocks of which one DataNode holds replicas. Waits for a bounded time.
   *
   * @param holder {@link DataNodeId#NOBODY}, where no DataNode is known, only if this plane {@link
   *     #findsUnlisted}
   * @param asks first the block that is wanted, then those that are asked for along with it
   * @return one outcome for each block, in their order
   * @throws FallbackException why there is no answer at all
   */
  List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException;

  /** Whether it may have maps of blocks for which the NameNode names no DataNode. */
  default boolean findsUnlisted() {
    return false;
  }

  /**
   * Whether it goes past DataNodes that did not answer when they were asked last: stock HDFS, which
   * cannot, may then fail at blocks of which this plane has maps. Does not wait.
   */
  default boolean hasSilentDataNodes() {
    return false;
  }

  /**
   * Asks a DataNode whether it is there, unless it answered a moment ago. Waits for a bounded time.
   *
   * @throws FallbackException why there is no answer
   */
  default void requireAnswering(DataNodeId holder) throws FallbackException {}

  /**
   * Whether a DataNode may be one that does not answer, at whose blocks this plane has maps all the
   * same: stock HDFS, which has not, might wait there in vain. Finds out, for a bounded time.
   *
   * @param holder {@link DataNodeId#NOBODY}, where no DataNode is known
   */
  default boolean mayBeSilent(DataNodeId holder) {
    return false;
  }

  /**
   * Settles a map in which somebody lost faith: its guard fails from now on, also for those who
   * read by it.
   *
   * @return false if it was not held any more, by recall, say
   */
  boolean discard(FileMap map);

  /** Settles a map that is not needed any more, once no reader has used it for a moment. */
  void release(FileMap map);

  /** Maps that are held now. */
  int held();

  /**
   * Does what is due for the maps that are held: what keeps their guards passing, and what gives
   * back those that were settled. Does not wait for answers.
   *
   * @return nanoseconds until it should be called again; Long.MAX_VALUE if nothing is held
   */
  long tend();

  /** Makes the guards of all maps fail and gives them back, within about one second. */
  @Override
  void close();
}
