// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The lease runs out while a read waits for something, or has begun and nobody looks. */
final class LeaseDuringWaitTest {
  private static final int LENGTH = 1 << 20;
  private static final int COUNT = 4096;
  private static final int CRC_AT = 1 << 20;
  private static final int BOUND_SECONDS = 60;

  private final TestBlock block =
      new TestBlock(4, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final AtomicBoolean isOpened = new AtomicBoolean();
  private final ReadPools pools =
      ReadPools.lendingBy(
          256 << 20, windows -> new ReadAheadPool(windows, 0, this::openOnce, () -> 0));
  private final ReadFixture fixture = new ReadFixture(block, 512, pools);

  /** The kernel gives one queue, and refuses any other. */
  private ReadQueue openOnce() throws FallbackException {
    if (isOpened.getAndSet(true)) {
      throw new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "no more queues");
    }
    return new DeferredQueue(1);
  }

  @Test
  void whileAQueueIsWaitedForTheDeviceIsNotRead() throws Exception {
    ReadAhead lent = fixture.readAheads.borrow(fixture.clock);
    ExtentReader reader = ExtentReader.openPositional(fixture.context, block.request, true, LENGTH);
    byte[] got = new byte[COUNT];
    CompletableFuture<FallbackReason> reason =
        CompletableFuture.supplyAsync(
            () ->
                catchThrowableOfType(
                        FallbackException.class, () -> reader.read(COUNT, got, 0, COUNT))
                    .reason());
    await().until(() -> fixture.readAheads.waiting() == 1);
    fixture.clock.advance(TestBlock.LEASE);
    fixture.readAheads.giveBack(lent);

    assertThat(reason.get(BOUND_SECONDS, TimeUnit.SECONDS))
        .as("no other map is to be had")
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.LEASE_EXPIRED);
    assertThat(fixture.device.reads()).isZero();
    assertThat(got).containsOnly(0);
    reader.close();
  }

  /** The device has written by then, but nobody is told of a byte, nor gets a CRC. */
  @Test
  void behindTheBeginOfAPieceItIsDropped() throws Exception {
    ByteBuffer memory = ByteBuffer.allocateDirect((2 << 20) + 4096).alignedSlice(4096);
    TransferBlock of = TransferBlock.open(fixture.context, block.request);
    TransferQueue queue = TransferQueue.open(fixture.context, () -> new DeferredQueue(1), 4);
    queue.begin(of, 0, COUNT, TransferQueue.Crcs.ONCE, memory, 0);
    fixture.clock.advance(TestBlock.LEASE);

    assertThatThrownBy(() -> queue.complete(memory, CRC_AT))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));

    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.LEASE_EXPIRED);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    byte[] crcs = new byte[COUNT / 512 * ChecksumSpec.CRC_BYTES];
    memory.clear().get(CRC_AT, crcs);
    assertThat(crcs).containsOnly(0);
    assertThat(queue.close()).isTrue();
  }
}
