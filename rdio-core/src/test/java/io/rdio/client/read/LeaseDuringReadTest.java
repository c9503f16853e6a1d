// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lease is lost at every single step of a read in turn. */
class LeaseDuringReadTest {
  private static final int LENGTH = 61 * 4096;
  private static final int FAR_MORE_STEPS_THAN_A_READ_HAS = 1000;

  private final TestBlock block =
      new TestBlock(1, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 40_000);

  enum Memory {
    ARRAY,
    HEAP,
    DIRECT
  }

  enum Loss {
    EXPIRY,
    RECALL
  }

  /** Calls back at each step of a read. */
  private static final class Steps extends RdioClientFaultInjector {
    private final IntConsumer action;
    private int step;

    Steps(IntConsumer action) {
      this.action = action;
    }

    @Override
    public void beforeDeviceRead(BlockDevice device, long offset, int length) {
      action.accept(step++);
    }

    @Override
    public void afterDeviceRead(
        BlockDevice device, long offset, ByteBuffer buffer, int at, int length) {
      action.accept(step++);
    }

    @Override
    public void beforeLeaseRecheck(FileMap map) {
      action.accept(step++);
    }
  }

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  @ParameterizedTest
  @EnumSource
  void noByteIsHandedOutAndThenTheNextMapIsTried(Memory memory) throws Exception {
    for (Loss loss : Loss.values()) {
      int step = 0;
      while (losesAt(step, memory, loss)) {
        step++;
      }
      // Two device reads at least, each with a step before and behind it, and the re-check.
      assertThat(step).isGreaterThanOrEqualTo(5).isLessThan(FAR_MORE_STEPS_THAN_A_READ_HAS);
    }
  }

  /** False if the read is over before it comes to this step. */
  private boolean losesAt(int lossStep, Memory memory, Loss loss) throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    FileMap map = fixture.maps.get(block.request);
    ExtentReader reader = fixture.reader();
    Steps steps =
        new Steps(
            step -> {
              if (step == lossStep && loss == Loss.RECALL) {
                Lease.of(map).end();
              } else if (step == lossStep) {
                fixture.clock.advance(TestBlock.LEASE);
              }
            });
    RdioClientFaultInjector.set(steps);
    ByteBuffer target =
        memory == Memory.DIRECT
            ? ByteBuffer.allocateDirect(LENGTH + 8192).alignedSlice(4096)
            : ByteBuffer.allocate(LENGTH);

    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> read(reader, memory, target));

    if (steps.step <= lossStep) {
      assertThat(refused).isNull();
      return false;
    }
    assertThat(refused).isNotNull();
    // No other map is to be had.
    assertThat(refused.reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.LEASE_EXPIRED);
    assertThat(fixture.counters.staleMaps.sum()).isEqualTo(1);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    assertIsZeros(target, lossStep);
    assertThat(fixture.windows.lentBytes()).isZero();
    return true;
  }

  private static void read(ExtentReader reader, Memory memory, ByteBuffer target)
      throws FallbackException {
    if (memory == Memory.ARRAY) {
      reader.read(0, target.array(), target.arrayOffset(), LENGTH);
    } else {
      reader.read(0, target, 0, LENGTH);
    }
  }

  /** This block needs one window only, so there was nothing valid to leave there before. */
  private static void assertIsZeros(ByteBuffer target, int lossStep) {
    for (int i = 0; i < LENGTH; i++) {
      if (target.get(i) != 0) {
        throw new AssertionError("byte " + i + " was left after a loss at step " + lossStep);
      }
    }
  }

  @Test
  void leaseLostInMidReadIsMadeGoodByAnotherMap() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    FileMap first = fixture.maps.get(block.request);
    fixture.maps.then(block.map(fixture.clock));
    ExtentReader reader = fixture.reader();
    RdioClientFaultInjector.set(new Steps(step -> Lease.of(first).end()));

    byte[] got = new byte[LENGTH];
    reader.read(0, got, 0, LENGTH);

    assertThat(got).isEqualTo(block.bytes);
    assertThat(fixture.counters.staleMaps.sum()).isEqualTo(1);
    assertThat(fixture.counters.rdioReads.sum()).isEqualTo(1);
  }

  @Test
  void readerThatSleptOverItsLeaseJustGetsANewMap() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    ExtentReader reader = fixture.reader();
    fixture.clock.advance(TestBlock.LEASE);
    fixture.maps.then(block.map(fixture.clock));

    byte[] got = new byte[LENGTH];
    reader.read(0, got, 0, LENGTH);

    assertThat(got).isEqualTo(block.bytes);
    assertThat(fixture.maps.rejections()).isEmpty();
    assertThat(fixture.counters.staleMaps.sum()).isZero();
  }

  @Test
  void garbageReadUnderALostLeaseIsNotCalledCorruption() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    FileMap map = fixture.maps.get(block.request);
    ExtentReader reader = fixture.reader();
    RdioClientFaultInjector.set(
        new Steps(
            step -> {
              block.image[block.placeOf(5)] ^= 1;
              Lease.of(map).end();
            }));

    assertThatThrownBy(() -> reader.read(0, new byte[LENGTH], 0, LENGTH))
        .isInstanceOf(FallbackException.class);

    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.LEASE_EXPIRED);
    assertThat(fixture.counters.checksumMismatches.sum()).isZero();
  }

  @Test
  void leaseInUseIsMarkedSo() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    FileMap map = fixture.maps.get(block.request);
    ExtentReader reader = fixture.reader();
    fixture.clock.advance(TestBlock.LEASE.dividedBy(2));
    reader.read(0, new byte[10], 0, 10);
    assertThat(Lease.of(map).lastUsedNanos()).isEqualTo(fixture.clock.nanos());
  }
}
