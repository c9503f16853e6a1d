// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/** An agent that keeps what it writes, and fails where it is told to. */
final class FakeBlocks implements RemoteBlocks {
  /** Numbers of DataNodes that cannot be written to. */
  final Set<Integer> refusing = new HashSet<>();

  /** What was committed, in order. */
  final List<byte[]> committed = new ArrayList<>();

  /** What the blocks that were begun were said to have at most, in order. */
  final List<Long> slots = new ArrayList<>();

  /** What it is asked to fail with, where that is set. */
  @Nullable FallbackException there;

  @Nullable FallbackException answering;
  @Nullable FallbackException opening;

  /** For one block only. */
  @Nullable FallbackException openingNext;

  @Nullable RuntimeException accident;
  @Nullable FallbackException writing;
  @Nullable FallbackException committing;

  /** Replicas that are committed; all by default. */
  long bits = -1;

  /** Replicas without which the block that was committed last was said to be of no use. */
  int needed;

  int opened;
  int asked;

  /** Blocks that were begun and neither committed nor given up. */
  int open;

  static FallbackException refusal(FallbackReason reason) {
    return new FallbackException(reason, "as the test has it");
  }

  @Override
  public void requireThere() throws FallbackException {
    throwIfSet(there);
  }

  @Override
  public void requireAnswering() throws FallbackException {
    asked++;
    throwIfSet(answering);
  }

  private static void throwIfSet(@Nullable FallbackException failure) throws FallbackException {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public RemoteBlock open(OpenFile file, LocatedBlock located, long bytes)
      throws FallbackException {
    opened++;
    if (accident != null) {
      throw accident;
    }
    throwIfSet(opening);
    FallbackException once = openingNext;
    openingNext = null;
    throwIfSet(once);
    DatanodeInfo[] targets = located.getLocations();
    for (int i = 0; i < targets.length; i++) {
      if (refusing.contains(FakeFile.number(targets[i]))) {
        throw new TargetRefusedException(i, FallbackReason.SLOTS_EXHAUSTED, "none free");
      }
    }
    open++;
    slots.add(bytes);
    return new Kept((1L << targets.length) - 1, bytes);
  }

  private final class Kept implements RemoteBlock {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final long all;
    private final long most;
    private boolean over;

    Kept(long all, long most) {
      this.all = all;
      this.most = most;
    }

    @Override
    public void write(byte[] source, int at, int count) throws FallbackException {
      throwIfSet(writing);
      if (count > most - bytes.size()) {
        throw new IllegalArgumentException(count + " bytes behind " + bytes.size() + " of " + most);
      }
      bytes.write(source, at, count);
    }

    @Override
    public long length() {
      return bytes.size();
    }

    @Override
    public long commit(int least) throws FallbackException {
      needed = least;
      throwIfSet(committing);
      committed.add(bytes.toByteArray());
      end();
      return all & bits;
    }

    @Override
    public void close() {
      end();
    }

    private void end() {
      open -= over ? 0 : 1;
      over = true;
    }
  }
}
