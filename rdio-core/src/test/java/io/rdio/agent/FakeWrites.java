// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import io.rdio.agent.daemon.BlockWrites;
import io.rdio.agent.daemon.WriteRights;
import io.rdio.agent.ipc.Protocol;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.write.GroupAsk;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.SharedMemory;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Targets in memory, which fail when a test says so. Thread-safe. */
public final class FakeWrites implements BlockWrites, WriteRights {
  /** What was begun, in order. */
  public final List<Block> blocks = new CopyOnWriteArrayList<>();

  /** Groups among them, as they were asked for. */
  public final List<GroupAsk> groups = new CopyOnWriteArrayList<>();

  public volatile int unit = 4096;
  public volatile long capacity = 128 << 20;

  /** Ranges that a block may have under way at the same time. */
  public volatile int ranges = Protocol.WRITES_MAX;

  /** The target that refuses; below zero for none. */
  public volatile int refusing = -1;

  /** What asks for rights are refused with. */
  public volatile @Nullable FallbackException noRight;

  /** Bits of the targets that go on behind so many bytes, and what happens there. */
  public volatile long survivors = -1;

  public volatile long failsAt = Long.MAX_VALUE;

  /** Whether a target that was given up still reads from memory. */
  public volatile boolean underWay;

  /** Where the last range was, and what keeps it mapped. */
  public volatile long address;

  public volatile @Nullable Object memory;

  /** Bits of the targets that commit, if they are alive. */
  public volatile long committing = -1;

  /** What is done before a WRITE is finished, which is written only then; may wait. */
  public volatile Runnable beforeWrite = () -> {};

  @Override
  public void check(BlockKey block, String file, List<DataNodeId> targets)
      throws FallbackException {
    FallbackException refusal = noRight;
    if (refusal != null) {
      throw refusal;
    }
  }

  @Override
  public Replicas open(
      BlockKey block,
      List<GroupWriter.Target> targets,
      long bytes,
      ChecksumSpec.Type checksum,
      int bytesPerChecksum)
      throws FallbackException {
    if (refusing >= 0 && refusing < targets.size()) {
      throw new TargetRefusedException(refusing, FallbackReason.SLOTS_EXHAUSTED, "it is full");
    }
    Block opened = new Block(block, targets, bytes, checksum, bytesPerChecksum);
    blocks.add(opened);
    return opened;
  }

  /** A group is one block here: what was written is in the order of its data. */
  @Override
  public Replicas open(GroupAsk group) throws FallbackException {
    groups.add(group);
    return open(
        group.group(), group.targets(), group.bytes(), group.checksum(), group.bytesPerChecksum());
  }

  @Override
  public Map<String, Long> figures() {
    return Map.of("groups_without_parity", (long) groups.size());
  }

  /** The one that was begun last. */
  public Block last() {
    return blocks.get(blocks.size() - 1);
  }

  /** What is written when it is finished. */
  private interface Range {
    void write() throws FallbackException;
  }

  /** One block. */
  public final class Block implements Replicas {
    public final BlockKey key;
    public final List<GroupWriter.Target> targets;
    public final long bytes;
    public final ChecksumSpec.Type checksum;
    public final int chunk;
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private byte[] checksums = {};
    private final Queue<Range> waiting = new ArrayDeque<>();
    private int mostUnderWay;
    private long begun;
    private boolean ended;
    private boolean committed;
    private int needed;
    private long alive;
    private volatile boolean closed;

    private Block(
        BlockKey key,
        List<GroupWriter.Target> targets,
        long bytes,
        ChecksumSpec.Type checksum,
        int chunk) {
      this.key = key;
      this.targets = targets;
      this.bytes = bytes;
      this.checksum = checksum;
      this.chunk = chunk;
      this.alive = (1L << targets.size()) - 1;
    }

    /** What was written. */
    public synchronized byte[] data() {
      return data.toByteArray();
    }

    /** Ranges that were under way at the same time, at most. */
    public synchronized int mostUnderWay() {
      return mostUnderWay;
    }

    /** What was committed with it. */
    public synchronized byte[] checksums() {
      return checksums.clone();
    }

    /** Targets without which its process said that it could not go on. */
    public synchronized int needed() {
      return needed;
    }

    public synchronized boolean isCommitted() {
      return committed;
    }

    public boolean isClosed() {
      return closed;
    }

    @Override
    public int unit() {
      return unit;
    }

    @Override
    public long capacity() {
      return capacity;
    }

    @Override
    public int ranges() {
      return ranges;
    }

    @Override
    public synchronized long alive() {
      return alive;
    }

    @Override
    public synchronized void begin(
        long offset, long from, int length, boolean isLast, Object keeper) {
      address = from;
      memory = keeper;
      if (closed || committed || ended || offset != begun || waiting.size() == ranges) {
        throw new IllegalStateException("a write at " + offset + " behind " + begun);
      }
      begun += length;
      ended = isLast;
      waiting.add(() -> writeNow(offset, from, length, isLast));
      mostUnderWay = Math.max(mostUnderWay, waiting.size());
    }

    @Override
    public void finishOldest() throws FallbackException {
      beforeWrite.run();
      waiting.remove().write();
    }

    @Override
    public boolean isUnderWay() {
      return underWay;
    }

    private synchronized void writeNow(long offset, long from, int length, boolean isLast)
        throws FallbackException {
      if ((!isLast && length % unit != 0) || from % unit != 0) {
        throw new IllegalStateException(length + " bytes at " + from + " are no units");
      }
      if (offset + length > failsAt) {
        alive &= survivors;
        if (alive == 0) {
          throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "at " + offset);
        }
      }
      byte[] bytes = new byte[length];
      SharedMemory.bufferOf(from, length).get(0, bytes);
      data.write(bytes, 0, length);
    }

    @Override
    public synchronized long commit(long length, ByteBuffer crcs, int least)
        throws FallbackException {
      needed = least;
      if (!ended || !waiting.isEmpty() || length != data.size()) {
        throw new IllegalStateException("a commit of " + length + " behind " + data.size());
      }
      checksums = new byte[crcs.remaining()];
      crcs.duplicate().get(checksums);
      alive &= committing;
      if (alive == 0) {
        throw new FallbackException(FallbackReason.CHECKSUM_MISMATCH, "none committed");
      }
      committed = true;
      return alive;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
