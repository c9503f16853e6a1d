// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.client.read.ReplicatedBlock.LENGTH;
import static io.rdio.client.read.ReplicatedBlock.READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs whose reader is busy with something else between its reads. */
final class RestingRunTest {
  private static final int READS = 8;

  private final byte[] got = new byte[READ];
  private final List<Noting> queues = new ArrayList<>();

  /** Notes whether it rests, when it must not be used to read. */
  private static final class Noting implements ReadQueue {
    private final ReadQueue queue = new DeferredQueue(LENGTH);
    private boolean rests;
    private int pauses;

    private void requireAwake() {
      if (rests) {
        throw new AssertionError("it rests");
      }
    }

    @Override
    public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      requireAwake();
      return queue.prepare(device, offset, target, at, length);
    }

    @Override
    public int prepareAwaited(
        BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      requireAwake();
      return queue.prepareAwaited(device, offset, target, at, length);
    }

    @Override
    public void submit() {
      requireAwake();
      queue.submit();
    }

    @Override
    public int await(int ticket) throws FallbackException {
      requireAwake();
      return queue.await(ticket);
    }

    @Override
    public boolean discard(int ticket) {
      return queue.discard(ticket);
    }

    @Override
    public void rest() {
      rests = true;
      pauses++;
    }

    @Override
    public void resume() {
      rests = false;
    }

    @Override
    public boolean poll() {
      return queue.poll();
    }

    @Override
    public void close() {
      queue.close();
    }
  }

  private ReadQueue open() {
    Noting queue = new Noting();
    queues.add(queue);
    return queue;
  }

  /** What is read ahead of one that pauses would keep others from an idle device. */
  @Test
  void whatIsReadAheadRestsFromOneReadToTheNext() throws Exception {
    ReplicatedBlock replicas = new ReplicatedBlock(this::open);
    try (ExtentReader reader =
        ExtentReader.open(replicas.context, replicas.block.request, true, LENGTH)) {
      for (int i = 0; i < READS; i++) {
        int at = i * READ;
        reader.read(at, got, 0, READ);
        assertThat(Arrays.equals(got, 0, READ, replicas.block.bytes, at, at + READ)).isTrue();
        assertThat(queues).hasSize(1);
        assertThat(queues.get(0).rests).isTrue();
      }
    }
    assertThat(queues.get(0).pauses).isEqualTo(READS);
  }

  @Test
  void whereThereIsNothingToChooseItDoesNot() throws Exception {
    ReplicatedBlock replicas = new ReplicatedBlock();
    ReadFixture alone = new ReadFixture(replicas.block, 512, ReadFixture.MEMORY, this::open);
    try (ExtentReader reader = alone.reader()) {
      for (int i = 0; i < READS; i++) {
        reader.read((long) i * READ, got, 0, READ);
      }
    }
    assertThat(queues).hasSize(1);
    assertThat(queues.get(0).pauses).isZero();
  }
}
