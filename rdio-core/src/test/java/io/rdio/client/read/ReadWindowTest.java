// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a read costs: device reads, memory, allocation. */
class ReadWindowTest {
  private static final int MIB = 1 << 20;
  private static final int SMALL = 4096;

  private final TestBlock block =
      new TestBlock(7, 8 * MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);

  @Test
  void smallSequentialReadsShareAFewLargeDeviceReads() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    // Small: with -Xcheck:jni each read copies the whole array that it writes to.
    byte[] got = new byte[SMALL];
    for (int at = 0; at < block.bytes.length; at += SMALL) {
      reader.read(at, got, 0, SMALL);
      assertThat(Arrays.equals(got, 0, SMALL, block.bytes, at, at + SMALL)).isTrue();
    }
    // 64 KiB, then 256 KiB each, and the CRCs of each.
    assertThat(fixture.device.reads()).isLessThanOrEqualTo(2 + 2 * 32);
    assertThat(fixture.counters.deviceBytes.sum()).isLessThan(block.bytes.length * 102L / 100);
  }

  @Test
  void readsThatSkipALittleForwardShareThemToo() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    Random random = new Random(3);
    byte[] got = new byte[1];
    for (int at = 0; at < block.bytes.length; at += 1 + random.nextInt(20_000)) {
      reader.read(at, got, 0, 1);
      assertThat(got[0]).isEqualTo(block.bytes[at]);
    }
    assertThat(fixture.device.reads()).isLessThanOrEqualTo(2 + 2 * 32);
  }

  @Test
  void smallSequentialReadsOfAlignedDirectMemoryToo() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    ByteBuffer target = ByteBuffer.allocateDirect(9 * MIB).alignedSlice(SMALL);
    for (int at = 0; at < 8 * MIB; at += SMALL) {
      reader.read(at, target, at, SMALL);
    }
    byte[] got = new byte[8 * MIB];
    target.get(0, got);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(fixture.device.reads()).isLessThanOrEqualTo(2 + 2 * 32);
  }

  @Test
  void windowInMemoryNeedsNoMap() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    reader.read(0, new byte[SMALL], 0, SMALL);
    fixture.clock.advance(TestBlock.LEASE); // and no other map is to be had
    byte[] got = new byte[SMALL];
    reader.read(SMALL, got, 0, SMALL);
    assertThat(got).isEqualTo(block.range(SMALL, SMALL));
  }

  @Test
  void noByteIsReadTwiceWhateverTheMemory() throws Exception {
    List<ByteBuffer> targets =
        List.of(
            ByteBuffer.allocate(3 * MIB),
            ByteBuffer.allocateDirect(3 * MIB + SMALL).alignedSlice(SMALL),
            ByteBuffer.allocateDirect(3 * MIB + SMALL).alignedSlice(SMALL).position(1).slice());
    for (ByteBuffer target : targets) {
      for (int end : new int[] {8 * MIB, 2 * MIB}) {
        ReadFixture fixture = new ReadFixture(block, 512);
        int piece = Math.min(end, 3 * MIB - 1);
        try (ExtentReader reader = ExtentReader.open(fixture.context, block.request, true, end)) {
          for (int at = 0; at < end; at += piece) {
            reader.read(at, target, 0, Math.min(piece, end - at));
          }
        }
        assertThat(fixture.counters.deviceBytes.sum())
            .as("%s, to %s", target, end)
            .isLessThan(end * 102L / 100);
      }
    }
  }

  @Test
  void positionalReadFetchesItsChunksAndOnePageOfChecksumsOnly() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    int from = 3 * MIB + 100;
    ExtentReader reader = ExtentReader.open(fixture.context, block.request, true, from + 1000);
    byte[] got = new byte[1000];
    reader.read(from, got, 0, got.length);
    assertThat(got).isEqualTo(block.range(from, got.length));
    assertThat(fixture.device.reads()).isEqualTo(2);
    assertThat(fixture.counters.deviceBytes.sum())
        .isLessThanOrEqualTo(3 * 512 + ChunkCrcs.PAGE_BYTES + 2 * 512);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void withoutVerificationTheMetaFileIsNotRead() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = ExtentReader.open(fixture.context, block.request, false, 5 * MIB);
    reader.read(4 * MIB, new byte[MIB], 0, MIB);
    reader.read(MIB, new byte[SMALL], 0, SMALL);
    assertThat(fixture.counters.deviceBytes.sum()).isEqualTo(MIB + SMALL);
  }

  @Test
  void alignedDirectMemoryIsReadInPiecesOfAWindow() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    ByteBuffer target = ByteBuffer.allocateDirect(9 * MIB).alignedSlice(4096);
    reader.read(0, target, 0, 8 * MIB);
    byte[] got = new byte[8 * MIB];
    target.get(0, got);
    assertThat(got).isEqualTo(block.bytes);
    // In pieces, so that the CRC runs while they are in the processor's cache.
    assertThat(fixture.device.reads()).isEqualTo(32 + 32 / ReadGeometry.CRC_GROUP);
  }

  @Test
  void memoryGoesBackAtTheEndOfTheBlockAtASeekAndAtClose() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    reader.read(0, new byte[SMALL], 0, SMALL);
    assertThat(fixture.windows.lentBytes()).isPositive();
    reader.read(5 * MIB, new byte[SMALL], 0, SMALL);
    assertThat(fixture.windows.lentBytes()).isZero();
    reader.read(5 * MIB + SMALL, new byte[SMALL], 0, SMALL);
    assertThat(fixture.windows.lentBytes()).isPositive();
    reader.read(8 * MIB - SMALL, new byte[SMALL], 0, SMALL);
    assertThat(fixture.windows.lentBytes()).isZero();
    reader.read(0, new byte[SMALL], 0, SMALL);
    reader.read(SMALL, new byte[SMALL], 0, SMALL);
    assertThat(fixture.windows.lentBytes()).isPositive();
    reader.close();
    reader.close();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void manyOpenReadersGetSmallerWindowsAndNoRefusal() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 8 * MIB);
    byte[] got = new byte[SMALL];
    long deviceBytes = 0;
    for (int i = 0; i < 500; i++) {
      ExtentReader reader = fixture.reader();
      deviceBytes = fixture.counters.deviceBytes.sum();
      for (int at = 0; at < 100 * SMALL; at += SMALL) {
        reader.read(at, got, 0, SMALL);
        assertThat(Arrays.equals(got, 0, SMALL, block.bytes, at, at + SMALL)).isTrue();
      }
    }
    assertThat(fixture.windows.allocatedBytes()).isLessThanOrEqualTo(8 * MIB);
    // The last one got no window to keep, and so reads no more than it is asked for.
    assertThat(fixture.counters.deviceBytes.sum() - deviceBytes)
        .isLessThanOrEqualTo(100 * (SMALL + 2 * 512));
  }

  @Test
  void memoryThatIsUsedUpIsARefusal() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 1000);
    ExtentReader reader = fixture.reader();
    assertThatThrownBy(() -> reader.read(0, new byte[1], 0, 1))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.BUFFERS_EXHAUSTED));
    assertThat(fixture.maps.rejections()).isEmpty();
  }

  @Test
  void memoryForOneWindowIsEnoughForALargeRead() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, WindowPool.bytes(256 << 10) * 3L / 2);
    ExtentReader reader = fixture.reader();
    byte[] got = new byte[4 * MIB];
    reader.read(100, got, 0, got.length);
    assertThat(got).isEqualTo(block.range(100, got.length));
    ByteBuffer target = ByteBuffer.allocateDirect(5 * MIB).alignedSlice(4096);
    reader.read(0, target, 0, got.length);
    target.get(0, got);
    assertThat(got).isEqualTo(block.range(0, got.length));
  }

  @Test
  void chunkLargerThanAnyWindowIsRefusedAtOnce() {
    TestBlock huge = new TestBlock(7, 2 * MIB, ChecksumSpec.Type.CRC32, 1 << 30, 4096, 1 << 30);
    ReadFixture fixture = new ReadFixture(huge, 512);
    assertThatThrownBy(fixture::reader)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED));
  }

  @Test
  void windowGivenBackTwiceIsAnError() throws Exception {
    WindowPool pool = new WindowPool(8 * MIB, MIB, new ClientCounters());
    ReadWindow window = pool.borrow(SMALL, 1);
    window.release();
    assertThatThrownBy(window::release).isInstanceOf(IllegalStateException.class);
    assertThat(pool.lentBytes()).isZero();
    assertThat(pool.borrow(SMALL, 1)).isSameAs(window);
  }

  @Test
  void poolIsBoundedAndMakesDo() throws Exception {
    WindowPool pool = new WindowPool(3 * MIB, MIB, new ClientCounters());
    ReadWindow first = pool.borrow(MIB, 1);
    ReadWindow second = pool.borrow(MIB, 1);
    ReadWindow smaller = pool.borrow(MIB, 1);
    assertThat(first.size()).isEqualTo(MIB);
    assertThat(second.size()).isEqualTo(MIB);
    assertThat(smaller.size()).isLessThan(MIB);
    assertThat(pool.allocatedBytes()).isLessThanOrEqualTo(3 * MIB);
    assertThatThrownBy(() -> pool.borrow(MIB, MIB)).isInstanceOf(FallbackException.class);
    first.release();
    assertThat(pool.borrow(MIB, MIB)).isSameAs(first);
  }

  @Test
  void warmReadAllocatesNothing() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, ReadPools.withoutQueues(64 * MIB));
    ExtentReader reader = fixture.reader();
    byte[] array = new byte[SMALL];
    ByteBuffer direct = ByteBuffer.allocateDirect(2 * SMALL).alignedSlice(SMALL);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    reads(reader, array, direct, 20_000);

    long before = threads.getCurrentThreadAllocatedBytes();
    reads(reader, array, direct, 1000);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    // 3000 reads; the measurement itself may cost something once.
    assertThat(allocated).isLessThan(3000);
  }

  private static void reads(ExtentReader reader, byte[] array, ByteBuffer direct, int count)
      throws FallbackException {
    for (int i = 0; i < count; i++) {
      int at = (i * 37 % 1000) * SMALL;
      reader.read(at + 10, array, 0, SMALL);
      reader.read(at + 10 + SMALL, array, 0, SMALL);
      reader.read(at, direct, 0, SMALL);
    }
  }
}
