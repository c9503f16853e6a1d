// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnwantedReadsTest {
  private static final int LENGTH = 3 << 20;
  private static final int COUNT = 1 << 20;

  private final TestBlock block =
      new TestBlock(14, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000_000);

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  private boolean read(ReadFixture fixture) throws FallbackException {
    UnwantedReads reads = new UnwantedReads(fixture.context);
    ExtentReader reader = ExtentReader.openPositional(reads.context(), block.request, true, LENGTH);
    try {
      return reads.read(reader, 1000, COUNT);
    } finally {
      reader.close();
    }
  }

  private static void assertNobodyGotAnything(ReadFixture fixture) {
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    assertThat(fixture.counters.rdioReads.sum()).isZero();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void areReadByTheDeviceAndNoReadersBytes() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512);
    assertThat(read(fixture)).isTrue();
    assertThat(fixture.counters.deviceBytes.sum()).isGreaterThanOrEqualTo(COUNT);
    assertNobodyGotAnything(fixture);
  }

  @Test
  void giveTheirMemoryBackWhereTheyFail() {
    ReadFixture fixture = new ReadFixture(block, 512);
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            throw new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected");
          }
        });
    assertThatThrownBy(() -> read(fixture)).isInstanceOf(FallbackException.class);
    assertNobodyGotAnything(fixture);
  }

  /** There is enough for this one, and readers would have the rest. */
  @Test
  void areNotMadeWhereMemoryIsScarce() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 8L * COUNT);
    assertThat(read(fixture)).isFalse();
    assertThat(fixture.counters.deviceBytes.sum()).isZero();
    assertNobodyGotAnything(fixture);
  }

  @Test
  void haveWhatTheyFindWrongCounted() {
    ReadFixture fixture = new ReadFixture(block, 512);
    block.image[block.placeOf(5000)] ^= 1;
    assertThatThrownBy(() -> read(fixture)).isInstanceOf(FallbackException.class);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.counters.checksumMismatches.sum()).isEqualTo(1);
    assertNobodyGotAnything(fixture);
  }

  @Test
  void areFewAtATime() {
    UnwantedReads reads = new UnwantedReads(new ReadFixture(block, 512).context);
    for (int i = 0; i < UnwantedReads.MOST; i++) {
      assertThat(reads.begin()).isTrue();
    }
    assertThat(reads.begin()).isFalse();
    reads.end();
    assertThat(reads.begin()).isTrue();
    assertThat(reads.begin()).isFalse();
  }
}
