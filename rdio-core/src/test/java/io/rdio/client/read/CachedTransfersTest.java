// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.Allocation;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pieces for somebody else, with the block data cache on. */
class CachedTransfersTest {
  private static final int LENGTH = (1 << 20) + 777;
  private static final int CHUNK = 64 << 10;
  private static final int CRC_AT = 1 << 20;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final AtomicBoolean hangs = new AtomicBoolean();
  private final ReadFixture fixture =
      new ReadFixture(block, 4096, ReadFixture.MEMORY, () -> new HangingQueue(hangs));
  private final BlockDataCache cache =
      new BlockDataCache(64L * CHUNK, CHUNK, fixture.clock, fixture.counters);
  private final ReadContext context = fixture.context.with(cache);
  private final ByteBuffer memory = ByteBuffer.allocateDirect((2 << 20) + 4096).alignedSlice(4096);

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  private TransferQueue open() throws FallbackException {
    return TransferQueue.open(context, () -> new DeferredQueue(1), 4);
  }

  private void check(TransferQueue queue, int from, int length) throws FallbackException {
    int at = queue.complete(memory, CRC_AT);
    for (int i = 0; i < length; i++) {
      assertThat(memory.get(at + i)).isEqualTo(block.bytes[from + i]);
    }
    for (int i = 0; i < length / 512 * ChecksumSpec.CRC_BYTES; i++) {
      int inMeta = block.checksum.headerLength() + from / 512 * ChecksumSpec.CRC_BYTES + i;
      assertThat(memory.get(CRC_AT + i)).isEqualTo(block.meta[inMeta]);
    }
  }

  private void readTwice(TransferQueue queue, TransferBlock of) throws FallbackException {
    for (int i = 0; i < 2; i++) {
      queue.begin(of, 4096, 4096, TransferQueue.Crcs.KEPT, memory, 0);
      check(queue, 4096, 4096);
    }
  }

  @Test
  void piecesEndInTheirOrderWhereverTheyAreFrom() throws Exception {
    TransferBlock of = TransferBlock.open(context, block.request);
    TransferQueue queue = open();
    readTwice(queue, of);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    memory.limit(1); // which is nobody's concern
    queue.begin(of, 5 * CHUNK, 4096, TransferQueue.Crcs.ONCE, memory, 0); // the device
    memory.limit(1);
    queue.begin(of, 8192, 8192, TransferQueue.Crcs.ONCE, memory, 64 << 10); // the cache
    queue.begin(of, CHUNK - 4096, 8192, TransferQueue.Crcs.KEPT, memory, 128 << 10); // both
    queue.begin(of, 5, 1000, TransferQueue.Crcs.NONE, memory, 192 << 10); // the cache
    check(queue, 5 * CHUNK, 4096);
    check(queue, 8192, 8192);
    check(queue, CHUNK - 4096, 8192);
    int at = queue.complete(memory, CRC_AT);
    assertThat(memory.get(at)).isEqualTo(block.bytes[5]);
    assertThat(queue.close()).isTrue();
  }

  @Test
  void hitsAllocateNothingAndAskNoDevice() throws Exception {
    TransferBlock of = TransferBlock.open(context, block.request);
    TransferQueue queue = open();
    readTwice(queue, of);
    int reads = fixture.device.reads();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) { // the first one's classes are new
      least =
          Math.min(
              least,
              Allocation.of(
                  () -> {
                    queue.begin(of, 0, 8192, TransferQueue.Crcs.KEPT, memory, 0);
                    queue.complete(memory, CRC_AT);
                    queue.begin(of, 8192, 8192, TransferQueue.Crcs.ONCE, memory, 0);
                    queue.complete(memory, CRC_AT);
                  }));
    }
    assertThat(least).isZero();
    assertThat(fixture.device.reads()).isEqualTo(reads);
    queue.close();
  }

  @Test
  void deviceThatHangsWhileAChunkIsReadLeavesNothingInTheCache() throws Exception {
    TransferBlock of = TransferBlock.open(context, block.request);
    TransferQueue queue = open();
    queue.begin(of, 4096, 4096, TransferQueue.Crcs.KEPT, memory, 0);
    check(queue, 4096, 4096);
    hangs.set(true);
    assertThatThrownBy(() -> queue.begin(of, 8192, 4096, TransferQueue.Crcs.KEPT, memory, 0))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT));
    assertThat(queue.close()).as("nothing is under way to that memory").isTrue();
    assertThat(cache.cachedBytes()).isZero();
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.DEVICE_TIMEOUT);
    hangs.set(false);
    fixture.maps.then(block.map(fixture.clock));
    Patience.await()
        .until(() -> fixture.windows.lentBytes() == 0 && fixture.readAheads.abandoned() == 0);
    TransferQueue next = open();
    readTwice(next, of);
    assertThat(cache.cachedBytes()).isEqualTo(CHUNK);
    next.close();
  }

  /** The lease runs out while whole chunks are read for the cache, of which one cannot be. */
  private final class LateFailure extends RdioClientFaultInjector {
    private boolean failed;
    private int begunBehind;

    @Override
    public void beforeDeviceRead(BlockDevice device, long offset, int length) {
      begunBehind += failed ? 1 : 0;
    }

    @Override
    public void afterDeviceRead(
        BlockDevice device, long offset, ByteBuffer buffer, int at, int length)
        throws FallbackException {
      failed = true;
      fixture.clock.advance(TestBlock.LEASE);
      throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "a chunk beside the piece");
    }
  }

  /** What the cache is waited for counts: the device would write to somebody else's memory. */
  @Test
  void leaseThatRunsOutWhileTheCacheIsFilledHasTheDeviceNotRead() throws Exception {
    TransferBlock of = TransferBlock.open(context, block.request);
    TransferQueue queue = open();
    queue.begin(of, 4096, 4096, TransferQueue.Crcs.KEPT, memory, 0);
    check(queue, 4096, 4096);
    LateFailure failure = new LateFailure();
    RdioClientFaultInjector.set(failure);
    memory.clear().put(0, new byte[1 << 20]);
    assertThatThrownBy(() -> queue.begin(of, 8192, 4096, TransferQueue.Crcs.KEPT, memory, 0))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));
    assertThat(queue.close()).isTrue();
    assertThat(failure.failed).isTrue();
    assertThat(failure.begunBehind).as("reads of the device").isZero();
    for (int i = 0; i < 1 << 20; i++) {
      assertThat(memory.get(i)).isZero();
    }
  }

  @Test
  void guardThatFailedBeforeHasNothingCopied() throws Exception {
    TransferQueue queue = open();
    readTwice(queue, TransferBlock.open(context, block.request));
    fixture.clock.advance(TestBlock.LEASE);
    fixture.maps.then(block.map(FakeGuard.refusingBefore()));
    TransferBlock of = TransferBlock.open(context, block.request);
    memory.clear().put(0, new byte[1 << 20]);
    assertThatThrownBy(() -> queue.begin(of, 0, 4096, TransferQueue.Crcs.KEPT, memory, 0))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));
    for (int i = 0; i < 1 << 20; i++) {
      assertThat(memory.get(i)).isZero();
    }
    queue.close();
  }
}
