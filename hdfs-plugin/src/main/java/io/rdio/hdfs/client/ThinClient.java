// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.RangeReads;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.namenode.AbandonedNameNodes;
import io.rdio.hdfs.client.namenode.KnownBlocks;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockBlocks;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import io.rdio.hdfs.client.way.BlockWays;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * What a client JVM needs while the agent of its host reads for it: next to nothing, for most such
 * JVMs live for seconds. The {@link DirectClient}, and the client that reads as stock HDFS does,
 * are made when a read needs them, the former with all its libraries, and not for a {@link
 * YoungProcess}. Thread-safe.
 *
 * <p>A Configuration object is looked at once: what is set in it later has no effect on RDIO.
 */
final class ThinClient {
  // A Configuration is equal to itself only, and DFSClient hands the same one to every builder.
  @GuardedBy("BY_CONFIGURATION")
  private static final Map<Configuration, ThinClient> BY_CONFIGURATION = new WeakHashMap<>();

  /** The one that was asked for last, mostly the only one. */
  private static volatile @Nullable ThinClient last;

  private final WeakReference<Configuration> conf;
  private final @Nullable FallbackException unusable;
  private final Duration rpcTimeout; // these three for one that is usable
  private final long deviceAfter;
  private final boolean pastDataNodes;
  private final @Nullable BlockWays ways;
  private volatile @Nullable NameNodes nameNodes;
  private volatile @Nullable DataNodePulse pulse;

  private ThinClient(Configuration conf) {
    this.conf = new WeakReference<>(conf);
    tellWhatIsRead(conf);
    FallbackException refusal = null;
    Duration timeout = Duration.ZERO;
    long after = 0;
    BlockWays byAgent = null;
    try {
      ThinSettings settings = ThinSettings.of(conf);
      timeout = settings.rpcTimeout();
      after = settings.deviceAfter();
      if (settings.asksAgent()) {
        byAgent = byAgent(settings);
      }
    } catch (FallbackException e) {
      refusal = e;
    }
    this.unusable = refusal;
    this.rpcTimeout = timeout;
    this.deviceAfter = after;
    this.pastDataNodes = UnlistedBlocks.areWanted(conf);
    this.ways = byAgent;
  }

  private static void tellWhatIsRead(Configuration conf) {
    if (RdioConfigKeys.CLIENT_EXIT_REPORT.get(conf)) {
      ExitReport.atExit();
    }
    if (RdioConfigKeys.CLIENT_JOB_COUNTER.get(conf)) {
      JobCounter.begin();
    }
  }

  /** The one of a configuration. */
  static ThinClient of(Configuration conf) {
    ThinClient known = last;
    if (known != null && known.conf.get() == conf) {
      return known;
    }
    synchronized (BY_CONFIGURATION) {
      known = BY_CONFIGURATION.get(conf);
      if (known == null) {
        known = new ThinClient(conf);
        BY_CONFIGURATION.put(conf, known);
      }
    }
    last = known;
    return known;
  }

  private BlockWays byAgent(ThinSettings settings) {
    List<BlockWay.Opener> openers = new ArrayList<>();
    openers.add(new AgentOpener(settings.agent(), settings.requiresAgent(), JvmCounters.READS));
    if (!settings.requiresAgent()) {
      openers.add(block -> deviceWays(block.request(), block.length()).open(0, block));
      openers.add(new DeviceOpener());
    }
    return new BlockWays(JvmCounters.READS, openers);
  }

  /** The device, behind its first bytes. */
  private final class DeviceOpener implements BlockWay.Opener {
    @Override
    public @Nullable BlockWay open(BlockToRead block) throws FallbackException {
      return deviceWays(block.request(), block.length()).open(1, block);
    }

    @Override
    public boolean mayHaveRanges() {
      try {
        return deviceWays().mayHaveRanges();
      } catch (FallbackException e) {
        return false; // a read meets it again, and counts it
      }
    }

    @Override
    public @Nullable RangeReads openRanges(BlockToRead block, long wanted)
        throws FallbackException {
      return deviceWays().openRanges(block, wanted);
    }

    @Override
    public @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
      return deviceWays().openPositional(block);
    }
  }

  /** Refuses with the reason why this configuration's reads never use RDIO. */
  void requireUsable() throws FallbackException {
    if (unusable != null) {
      throw unusable;
    }
  }

  /** The ways that reads can take, of whatever block. */
  BlockWays ways() throws FallbackException {
    return ways == null ? deviceWays() : ways;
  }

  /**
   * The ways that a read can take.
   *
   * @param length where it stops, in bytes from the block's start
   */
  BlockWays ways(BlockRequest request, long length) throws FallbackException {
    return ways == null ? deviceWays(request, length) : ways;
  }

  private BlockWays deviceWays(BlockRequest request, long length) throws FallbackException {
    if (!pastDataNodes) {
      return deviceWays();
    }
    // HDFS's striped stream does not come a second time: beyond the parity it fails at once.
    if (!request.block().isErasureCoded()) {
      YoungProcess.THIS.requireGrownOrUnserved(
          deviceAfter, request.block(), length, () -> missesDataNode(request));
    }
    return DirectClients.get().ways(configuration());
  }

  /** Whether a DataNode of a block does not answer, if that is of any use. */
  private boolean missesDataNode(BlockRequest request) {
    if (request.token().length > 0) {
      return false; // which only an agent reads without its DataNode
    }
    try {
      DataNodePulse asked = pulse;
      if (asked == null) {
        asked = DataNodePulse.of(configuration(), rpcTimeout);
        pulse = asked;
      }
      return asked.isMissed(stockBlocksNow(request.block().poolId()).locate(request, false));
    } catch (FallbackException | IOException | IllegalArgumentException e) {
      return false; // stock HDFS meets it, too, or whoever opens devices
    }
  }

  private BlockWays deviceWays() throws FallbackException {
    YoungProcess.THIS.requireGrown(deviceAfter);
    return DirectClients.get().ways(configuration());
  }

  private Configuration configuration() throws FallbackException {
    Configuration mine = conf.get();
    if (mine == null) {
      throw new FallbackException(
          FallbackReason.ACCESSOR_CLOSED, "the client of this reader is closed");
    }
    return mine;
  }

  /** Where stock reads find the blocks of a pool. */
  StockBlockSource stockBlocks(String poolId) throws FallbackException {
    return ways == null
        ? DirectClients.get().stockBlocks(configuration(), poolId)
        : new LaterStockBlocks(() -> stockBlocksNow(poolId));
  }

  /** The same, at last, for one that did not need them until now. */
  private StockBlockSource stockBlocksNow(String poolId) throws FallbackException {
    NameNodes mine = nameNodes;
    if (mine == null) {
      mine = makeNameNodes();
      AbandonedNameNodes.close(); // of others, which nobody uses any more
    }
    return new StockBlocks(mine, KnownBlocks.NONE, poolId);
  }

  private synchronized NameNodes makeNameNodes() throws FallbackException {
    NameNodes mine = nameNodes;
    if (mine == null) {
      Configuration from = configuration();
      mine = new NameNodes(rpcTimeout);
      mine.learn(from);
      AbandonedNameNodes.closeAfter(this, mine);
      nameNodes = mine;
    }
    return mine;
  }
}
