// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.StandingFence;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Devices that are fenced because a test says so. Thread-safe. */
final class FakeFences implements FencedDevices {
  private final List<Path> nodes = new CopyOnWriteArrayList<>();
  private final AtomicLong generation = new AtomicLong(3);
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();
  private volatile @Nullable String trouble;
  private volatile @Nullable String unknown;
  private volatile CountDownLatch answers = new CountDownLatch(0);
  private volatile int hanging = Integer.MAX_VALUE;

  FakeFences(Path... fenced) {
    nodes.addAll(List.of(fenced));
  }

  /** Looks do not answer from now on, but for some. */
  void hang(int behind) {
    answers = new CountDownLatch(1);
    hanging = looks.get() + behind;
  }

  /** They answer again, also those that are under way. */
  void answer() {
    hanging = Integer.MAX_VALUE;
    answers.countDown();
  }

  /** The records cannot be read, or can again. */
  void forget(@Nullable String why) {
    unknown = why;
  }

  void add(Path node) {
    nodes.add(node);
  }

  /** Undone and done again, or somebody registered. */
  void fenceAnew() {
    generation.incrementAndGet();
  }

  /** This host has written to them. */
  void write() {
    written.incrementAndGet();
  }

  /** They are fenced no more. */
  void undo(String why) {
    trouble = why;
  }

  /** They are fenced again. */
  void redo() {
    trouble = null;
    fenceAnew();
  }

  int looks() {
    return looks.get();
  }

  @Override
  public List<Path> recorded() throws IOException {
    String why = unknown;
    if (why != null) {
      throw new IOException(why);
    }
    return List.copyOf(nodes);
  }

  @Override
  public StandingFence look(Path node) throws IOException {
    if (looks.incrementAndGet() > hanging) {
      awaitAnswer();
    }
    String why = trouble;
    if (why != null) {
      throw new IOException(node + ": " + why);
    }
    FenceRecord record = new FenceRecord("dead", "eui.1", "here", FenceState.FENCED, Instant.EPOCH);
    return new StandingFence(List.of(record), generation.get(), written.toString());
  }

  /** As a channel whose reader is interrupted. */
  private void awaitAnswer() throws ClosedByInterruptException {
    try {
      answers.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
  }
}
