// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.BlockName;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** By the agent of this host, which reads the device for us. */
public final class AgentWay implements BlockWay {
  private final AgentBlock reader;
  private final ClientCounters counters;

  private AgentWay(AgentBlock reader, ClientCounters counters) {
    this.reader = reader;
    this.counters = counters;
  }

  /**
   * Waits for the agent to open the block; once it was opened, that is a lookup.
   *
   * @param required whether this process may do without the agent
   * @return null where no agent answers, or the one that does has nothing to spare or speaks
   *     another protocol, which is counted and logged; unless the agent is required
   * @throws FallbackException why stock HDFS must serve this block
   */
  public static @Nullable AgentWay open(
      AgentClient agent, boolean required, ClientCounters counters, BlockToRead block)
      throws FallbackException {
    try {
      return new AgentWay(agent.open(name(block), block.length(), true), counters);
    } catch (FallbackException e) {
      boolean answers =
          e.reason() == FallbackReason.AGENT_BUSY || e.reason() == FallbackReason.PROTOCOL_MISMATCH;
      if (required || (!answers && e.reason() != FallbackReason.AGENT_UNAVAILABLE)) {
        throw e;
      }
      if (answers) { // that there is none is how many a host is meant to be
        counters.fallback(e.reason());
        counters.toNextWay(e.reason());
        FallbackLog.SHARED.turnedAway(e, block.request().fileName());
      }
      return null;
    }
  }

  /**
   * Reads of several ranges of a block at a time; counts nothing but what they read.
   *
   * @param required whether this process may do without the agent
   * @return null where no agent answers, unless it is required
   * @throws FallbackException why there are none at present; FIRST_READ where little is wanted of a
   *     block that this process has not opened: the reads one by one are to be its first visit, for
   *     at the second one the agent has the map loaded
   */
  public static @Nullable RangeReads openRanges(
      AgentClient agent, boolean required, ClientCounters counters, BlockToRead block)
      throws FallbackException {
    BlockName name = name(block);
    AgentBlock opened;
    try {
      if (agent.isNoted(name, block.length())) {
        throw new FallbackException(
            FallbackReason.FIRST_READ, block.request().block() + " up to " + block.length());
      }
      opened = agent.open(name, block.length(), true);
    } catch (FallbackException e) {
      if (required || e.reason() != FallbackReason.AGENT_UNAVAILABLE) {
        throw e;
      }
      return null;
    }
    return new CountedRanges(opened.ranges(), counters);
  }

  /**
   * A way for reads that have nothing to do with each other, to a block that this process has
   * opened; counts nothing but what they read.
   *
   * @param required whether this process may do without the agent
   * @return null where no agent answers, unless it is required
   * @throws FallbackException why there is none at present; FIRST_READ where the block is not open
   */
  public static @Nullable AgentWay openPositional(
      AgentClient agent, boolean required, ClientCounters counters, BlockToRead block)
      throws FallbackException {
    AgentBlock opened;
    try {
      opened = agent.positional(name(block), block.length());
    } catch (FallbackException e) {
      if (required || e.reason() != FallbackReason.AGENT_UNAVAILABLE) {
        throw e;
      }
      return null;
    }
    if (opened == null) {
      throw new FallbackException(
          FallbackReason.FIRST_READ, block.request().block() + " is not open");
    }
    return new AgentWay(opened, counters);
  }

  private static BlockName name(BlockToRead block) {
    BlockRequest request = block.request();
    BlockKey key = request.block();
    return new BlockName(
        key.poolId(),
        key.blockId(),
        key.generationStamp(),
        block.verifyChecksum(),
        request.fileName(),
        request.token());
  }

  @Override
  public int read(long offset, byte[] target, int at, int count) throws FallbackException {
    reader.read(offset, target, at, count);
    return counted(count);
  }

  @Override
  public int read(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    reader.read(offset, target, at, count);
    return counted(count);
  }

  private int counted(int count) {
    counters.rdioReads.increment();
    counters.rdioBytes.add(count);
    counters.agentBytes.add(count);
    return count;
  }

  @Override
  public boolean isByDevice() {
    return true;
  }

  /** 0, the distance of Hadoop's own short-circuit reader. */
  @Override
  public int networkDistance() {
    return 0;
  }

  @Override
  public void close() {
    reader.close();
  }
}
