// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.agent.ipc.Protocol;
import io.rdio.client.read.TransferBlock;
import io.rdio.client.read.TransferQueue;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.SharedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a lane pins, when, and that it stands in nobody's way for longer than it is of use. */
class LaneTransfersTest {
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 256 << 10;
  private static final int ROOM = LENGTH + Protocol.SLACK;
  private static final int CRC_AT = 3 * MIB;
  private static final int SEGMENT = 9 * MIB;

  /** How often over memory is read to before it is pinned. */
  private static final int WORTH = 8;

  private final TestBlock block = new TestBlock(1, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, MIB);
  private final ReadFixture reads = new ReadFixture(block, 4096);
  private final KeepingQueue queue = new KeepingQueue(block.bytes.length);

  /** How often huge pages are said to be had later. */
  private int later;

  private SegmentMemory segment;
  private LaneTransfers transfers;
  private TransferBlock opened;

  /** Notes what is kept, and where it is read to. */
  private static final class KeepingQueue implements ReadQueue {
    final List<ByteBuffer> kept = new ArrayList<>();
    private final DeferredQueue reads;
    ByteBuffer lastTarget;
    int most = Integer.MAX_VALUE;

    KeepingQueue(int length) {
      reads = new DeferredQueue(length);
    }

    @Override
    public int prepare(BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      lastTarget = target;
      return reads.prepare(device, offset, target, at, length);
    }

    @Override
    public int prepareAwaited(
        BlockDevice device, long offset, ByteBuffer target, int at, int length) {
      return reads.prepareAwaited(device, offset, target, at, length);
    }

    @Override
    public boolean keep(ByteBuffer memory) {
      kept.add(memory);
      return kept.size() <= most;
    }

    @Override
    public void submit() {
      reads.submit();
    }

    @Override
    public int await(int ticket) throws FallbackException {
      return reads.await(ticket);
    }

    @Override
    public boolean discard(int ticket) {
      return reads.discard(ticket);
    }

    @Override
    public boolean poll() {
      return reads.poll();
    }

    @Override
    public void close() {
      reads.close();
    }
  }

  /** Has huge pages for those who wait. */
  private final class LatePages extends HugePages {
    LatePages() {
      super(true, new AgentCounters());
    }

    @Override
    boolean make(SegmentMemory of, int from, int to) {
      return later-- > 0;
    }
  }

  @BeforeEach
  void open() throws FallbackException {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    segment = SegmentMemory.map(SharedMemory.create(SEGMENT), SEGMENT, SEGMENT);
    AgentPorts ports =
        new AgentPorts(
            reads.context,
            request -> Long.MAX_VALUE,
            request -> {},
            (request, map, at) -> {},
            () -> queue,
            null);
    transfers = LaneTransfers.open(ports, new LatePages(), segment, Protocol.READS_MAX);
    opened =
        TransferBlock.open(
            reads.context, new BlockRequest(new TokenedBlock(block.key, new byte[0]), "/f"));
  }

  @AfterEach
  void free() {
    segment.close();
  }

  private void read(int at) throws FallbackException {
    if (transfers.isPinDue()) {
      transfers.pin();
    }
    transfers.begin(opened, 0, LENGTH, TransferQueue.Crcs.ONCE, at, ROOM);
    int dataAt = transfers.complete(CRC_AT);
    byte[] got = new byte[LENGTH];
    segment.view().get(dataAt, got);
    assertThat(got).isEqualTo(block.range(0, LENGTH));
  }

  private void readOften(int at, int times) throws FallbackException {
    for (int i = 0; i < times; i++) {
      read(at);
    }
  }

  @Test
  void memoryIsPinnedOnceAsMuchWasReadToItAsThatPaysFor() throws FallbackException {
    int times = WORTH * 2 * MIB / LENGTH;

    readOften(4096, times - 1);
    assertThat(queue.kept).isEmpty();
    read(4096);
    read(4096);

    assertThat(queue.kept).hasSize(1);
    assertThat(queue.kept.get(0).capacity()).isEqualTo(2 * MIB);
    assertThat(queue.lastTarget).isSameAs(queue.kept.get(0));
    readOften(4096, times);
    assertThat(queue.kept).hasSize(1);
  }

  @Test
  void whatLiesBehindIsPinnedWhenItIsReadToAsOften() throws FallbackException {
    readOften(4096, WORTH * 2 * MIB / LENGTH + 1);
    int behind = 5 * MIB;

    readOften(behind, WORTH * 6 * MIB / LENGTH - 1);
    assertThat(queue.kept).hasSize(1);
    read(behind);
    read(behind);

    assertThat(queue.kept).hasSize(2);
    assertThat(queue.kept.get(1).capacity()).isEqualTo(6 * MIB);
    read(4096);
    assertThat(queue.lastTarget).isSameAs(queue.kept.get(1));
  }

  /** What is pinned stays so when more is: small steps would add up to many times the segment. */
  @Test
  void eachPinIsTwiceTheOneBeforeAndNoneReachesBeyondTheLastHugePage() throws FallbackException {
    readOften(4096, WORTH * 2 * MIB / LENGTH + 1);
    readOften(2 * MIB, WORTH * 4 * MIB / LENGTH + 1);
    readOften(4 * MIB, WORTH * 8 * MIB / LENGTH + 1);
    readOften(6 * MIB, WORTH * 8 * MIB / LENGTH + 1);
    readOften(8 * MIB + 4096, 2 * WORTH * SEGMENT / LENGTH);

    assertThat(queue.kept)
        .extracting(ByteBuffer::capacity)
        .containsExactly(2 * MIB, 4 * MIB, 8 * MIB);
  }

  /** Small pages that are pinned stay small. */
  @Test
  void pinWaitsAFewTimesForHugePagesThatMayBeHadLater() throws FallbackException {
    int times = WORTH * 2 * MIB / LENGTH + 1;
    later = 1;
    readOften(4096, times);
    assertThat(queue.kept).isEmpty();
    segment.reclaim(); // nothing holds it
    assertThat(segment.view().getLong(CRC_AT)).isZero();
    readOften(4096, times);
    assertThat(queue.kept).hasSize(1);

    later = 100;
    readOften(5 * MIB, 3 * (WORTH * 6 * MIB / LENGTH + 1));
    assertThat(queue.kept).hasSize(1);
    readOften(5 * MIB, WORTH * 6 * MIB / LENGTH + 1);
    assertThat(queue.kept).hasSize(2);
  }

  @Test
  void whatIsPinnedStaysWhereMoreIsRefused() throws FallbackException {
    queue.most = 1;
    readOften(4096, WORTH * 2 * MIB / LENGTH + 1);

    readOften(5 * MIB, 2 * WORTH * 6 * MIB / LENGTH);

    assertThat(queue.kept).hasSize(2);
    read(4096);
    assertThat(queue.lastTarget).isSameAs(queue.kept.get(0));
  }

  @Test
  void refusedPinsKeepNoMemory() throws FallbackException {
    queue.most = 0;
    readOften(4096, WORTH * 2 * MIB / LENGTH + 1);
    assertThat(queue.kept).hasSize(1);

    segment.reclaim();

    assertThat(segment.view().getLong(CRC_AT)).isZero();
  }

  @Test
  void pinnedMemoryIsTakenBackAfterTheCloseOnly() throws FallbackException {
    readOften(4096, WORTH * 2 * MIB / LENGTH + 1);

    segment.reclaim();
    assertThat(segment.view().get(CRC_AT) | segment.view().get(CRC_AT + 1)).isNotZero();
    assertThat(transfers.close()).isTrue();
    segment.reclaim();

    assertThat(segment.view().getLong(CRC_AT)).isZero();
  }
}
