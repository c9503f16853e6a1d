// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which grant service and write room are to be asked before a DataNode changes a block. A dataset
 * is made before plugins start and lives on when they end: without a plugin nothing is asked.
 * Thread-safe.
 */
final class ChangeRecalls {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeRecalls.class);
  private static final ConcurrentHashMap<DataNode, ChangeRecalls> SERVED =
      new ConcurrentHashMap<>();

  private final GrantService grants;
  private final @Nullable WriteRoom writes;
  private final long waitNanos;

  private ChangeRecalls(GrantService grants, @Nullable WriteRoom writes, long waitNanos) {
    this.grants = grants;
    this.writes = writes;
    this.waitNanos = waitNanos;
  }

  /**
   * From now on a DataNode's blocks are asked back from those whom this service granted them, and
   * lose the link that they are to be recycled by.
   *
   * @param writes null where agents do not write
   * @param waitMillis for all holders of a block
   */
  static void serve(
      DataNode dataNode, GrantService grants, @Nullable WriteRoom writes, long waitMillis) {
    long waitNanos = TimeUnit.MILLISECONDS.toNanos(waitMillis);
    SERVED.put(dataNode, new ChangeRecalls(grants, writes, waitNanos));
  }

  /** Ends {@link #serve} of this service. */
  static void end(GrantService grants) {
    SERVED.values().removeIf(served -> served.grants == grants);
  }

  /**
   * Returns when nobody holds the block, or the wait is over. Never throws: HDFS goes on as if we
   * were not there.
   */
  static void before(DataNode dataNode, BlockKey block) {
    ChangeRecalls served = SERVED.get(dataNode);
    if (served == null) {
      return;
    }
    try {
      if (served.writes != null) {
        served.writes.beforeChange(block);
      }
      if (!served.grants.recallBeforeChange(block, served.waitNanos)) {
        LOG.info("{} is changed while it is still read by RDIO: HDFS copies it first", block);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // HDFS stops its writers so
    } catch (Throwable e) {
      LOG.error("{} cannot be recalled before it is changed: HDFS copies it first", block, e);
    }
  }
}
