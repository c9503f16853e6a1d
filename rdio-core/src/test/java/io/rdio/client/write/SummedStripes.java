// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.nativeio.HugeMemory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Groups of three blocks of data and two of parity, of which a test knows each byte. */
final class SummedStripes extends StripesFixture {
  static final int CELL = 8192;
  static final int DATA = 3;
  static final int UNITS = 5;
  static final int STRIPE = DATA * CELL;

  /** Bits of all blocks of a group. */
  static final long ALL = 0b11111;

  /** More than the CRCs of parity take of a few groups, and less than a stripe does. */
  private static final long SUMS = 64 << 10;

  final SumEncoder sums;

  private SummedStripes(SumEncoder sums, int pages, Duration deviceTimeout) {
    super(
        new StripeLayout(DATA, UNITS - DATA, CELL),
        sums,
        (long) pages * HugeMemory.PAGE + SUMS,
        deviceTimeout);
    this.sums = sums;
  }

  /** For as many stripes as a test has. */
  static SummedStripes withMuchMemory() {
    return withMuchMemory(WritersFixture.DEVICE_TIMEOUT);
  }

  /**
   * The same.
   *
   * @param deviceTimeout how long a device is waited for: by the clock of this machine
   */
  static SummedStripes withMuchMemory(Duration deviceTimeout) {
    return new SummedStripes(new SumEncoder(), 64, deviceTimeout);
  }

  /** For the first stripes of two groups, and no further one. */
  static SummedStripes withLittleMemory() {
    return withLittleMemory(WritersFixture.DEVICE_TIMEOUT);
  }

  /**
   * The same.
   *
   * @param deviceTimeout how long a device is waited for: by the clock of this machine
   */
  static SummedStripes withLittleMemory(Duration deviceTimeout) {
    return new SummedStripes(new SumEncoder(), 2, deviceTimeout);
  }

  static void writeInPieces(StripedWriter writer, ByteBuffer content) throws FallbackException {
    Random random = new Random(content.limit());
    for (int at = 0; at < content.limit(); ) {
      int to = Math.min(content.limit(), at + 4096 * (1 + random.nextInt(9)));
      write(writer, content, at, to);
      at = to;
    }
  }

  static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  /** A block as HDFS lays it out, byte by byte. */
  byte[] expected(ByteBuffer content, int unit) {
    byte[] bytes = WritersFixture.array(content);
    byte[] block = new byte[(int) layout.blockBytes(unit, bytes.length)];
    for (int at = 0; at < block.length; at++) {
      byte[] column = new byte[DATA];
      for (int i = 0; i < DATA; i++) {
        int from = at / CELL * STRIPE + i * CELL + at % CELL;
        column[i] = from < bytes.length ? bytes[from] : 0;
      }
      block[at] = unit < DATA ? column[unit] : SumEncoder.sum(unit - DATA, column);
    }
    return block;
  }

  /** Makes sure that a block is there, and was committed with its CRCs. */
  void requireBlock(ByteBuffer content, int unit) {
    byte[] expected = expected(content, unit);
    assertThat(written(unit, expected.length)).as("block " + unit).isEqualTo(expected);
    assertThat(committed(unit)).isEqualTo(crcs(expected));
  }

  /**
   * Holds the first block of parity up.
   *
   * @param until when
   * @return is counted down when it comes to be written
   */
  CountDownLatch holdParity(CountDownLatch until) {
    CountDownLatch comes = new CountDownLatch(1);
    nodes.get(DATA).open(0).inWrite =
        () -> {
          comes.countDown();
          passed(until);
        };
    return comes;
  }

  static void passed(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes sure that all was given back. */
  @Override
  public void close() {
    super.close();
    assertThat(memory.lent()).isZero();
    assertThat(sums.open).hasValue(0);
    assertThat(backlog.groups()).isZero();
  }
}
