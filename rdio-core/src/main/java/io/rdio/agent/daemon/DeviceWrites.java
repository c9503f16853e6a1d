// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Protocol;
import io.rdio.client.write.BlockWriters;
import io.rdio.client.write.GroupAsk;
import io.rdio.client.write.GroupWriter;
import io.rdio.client.write.ParityParts;
import io.rdio.client.write.StripedWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.thread.DaemonThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes blocks to the devices of their targets. Thread-safe. */
public final class DeviceWrites implements BlockWrites, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceWrites.class);

  /** How long the end waits for parity that is behind: the NameNode makes what is left. */
  private static final Duration PARITY_PATIENCE = Duration.ofSeconds(2);

  /**
   * Threads at most that write to one target each, or make parity; where all are busy, as with a
   * device that hangs under many blocks at once, lanes do it themselves, for as long as it takes.
   */
  private static final int THREADS_MAX = 512;

  private final BlockWriters writers;
  private final ParityParts parity;

  /** One that is not used for a minute ends. */
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          THREADS_MAX,
          1,
          TimeUnit.MINUTES,
          new SynchronousQueue<>(),
          new DaemonThreads("rdio-agent-write"));

  /**
   * @param writers stay the caller's to close, behind this
   * @param parity whose backlog is closed with this
   */
  public DeviceWrites(BlockWriters writers, ParityParts parity) {
    this.writers = writers;
    this.parity = parity;
    parity.backlog().start();
  }

  @Override
  public Replicas open(
      BlockKey block,
      List<GroupWriter.Target> targets,
      long bytes,
      ChecksumSpec.Type checksum,
      int bytesPerChecksum)
      throws FallbackException {
    return new Written(
        GroupWriter.open(writers, threads, block, targets, bytes, checksum, bytesPerChecksum));
  }

  @Override
  public Replicas open(GroupAsk group) throws FallbackException {
    return new Striped(StripedWriter.open(writers, parity, threads, group));
  }

  @Override
  public Map<String, Long> figures() {
    return Map.of(
        "groups_without_parity", (long) parity.backlog().groups(),
        "parity_lag_bytes", parity.backlog().bytes(),
        "oldest_without_parity_seconds", parity.backlog().oldestSeconds(),
        "parity_blocks_lost_total", parity.backlog().lostBlocks(),
        "parity_given_up_groups_total", parity.backlog().groupsGivenUp(),
        "parity_awaited_groups_total", parity.backlog().groupsAwaited(),
        "parity_deferred_groups_total", parity.backlog().groupsGone(),
        "parity_deferred_milliseconds_total", parity.backlog().millisGone(),
        "stripe_memory_bytes", parity.memory().lent());
  }

  /**
   * Waits a moment for parity that is behind. Ends the threads that have nothing to do; the others
   * when they are done.
   */
  @Override
  public void close() {
    try {
      if (!parity.backlog().awaitEmpty(PARITY_PATIENCE)) {
        LOG.warn(
            "RDIO: the agent ends, and {} groups have no parity: the NameNode makes it",
            parity.backlog().groups());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    parity.backlog().close();
    threads.shutdown();
  }

  private record Written(GroupWriter group) implements Replicas {
    @Override
    public int unit() {
      return group.unit();
    }

    @Override
    public long capacity() {
      return group.capacity();
    }

    @Override
    public long alive() {
      return group.alive();
    }

    @Override
    public int ranges() {
      return Protocol.WRITES_MAX;
    }

    @Override
    public void begin(long offset, long address, int length, boolean isLast, Object memory)
        throws FallbackException {
      group.begin(offset, address, length, isLast, memory);
    }

    @Override
    public boolean isUnderWay() {
      return group.isUnderWay();
    }

    @Override
    public void finishOldest() throws FallbackException {
      group.finishOldest();
    }

    @Override
    public long commit(long length, ByteBuffer checksums, int needed) throws FallbackException {
      return group.commit(length, checksums, needed);
    }

    @Override
    public void close() {
      group.close();
    }
  }

  /** Its cells are under way behind a range: that is over when it was copied. */
  private record Striped(StripedWriter group) implements Replicas {
    @Override
    public int unit() {
      return group.unit();
    }

    @Override
    public long capacity() {
      return group.capacity();
    }

    @Override
    public long alive() {
      return group.alive();
    }

    @Override
    public int ranges() {
      return 1;
    }

    @Override
    public void begin(long offset, long address, int length, boolean isLast, Object memory)
        throws FallbackException {
      group.write(offset, address, length, isLast);
    }

    @Override
    public void finishOldest() throws FallbackException {
      group.requireEnough();
    }

    /** It knows by itself how many it needs: as many as its data is made of again. */
    @Override
    public long commit(long length, ByteBuffer checksums, int needed) throws FallbackException {
      return group.commit(length, checksums);
    }

    @Override
    public void close() {
      group.close();
    }
  }
}
