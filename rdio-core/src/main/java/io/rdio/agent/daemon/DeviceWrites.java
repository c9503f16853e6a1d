// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.client.write.BlockWriters;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.thread.DaemonThreads;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Writes blocks to the devices of their targets. Thread-safe. */
public final class DeviceWrites implements BlockWrites, AutoCloseable {
  private final BlockWriters writers;

  /** Threads that write to one target each at most; where all are busy, lanes do it themselves. */
  private static final int THREADS_MAX = 512;

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
   */
  public DeviceWrites(BlockWriters writers) {
    this.writers = writers;
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

  /** Ends the threads that have nothing to do; the others when they are done. */
  @Override
  public void close() {
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
    public void begin(long offset, long address, int length, boolean isLast)
        throws FallbackException {
      group.begin(offset, address, length, isLast);
    }

    @Override
    public void finishOldest() throws FallbackException {
      group.finishOldest();
    }

    @Override
    public long commit(long length, ByteBuffer checksums) throws FallbackException {
      return group.commit(length, checksums);
    }

    @Override
    public void close() {
      group.close();
    }
  }
}
