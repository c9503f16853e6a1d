// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A code that any test can compute: sums of the data's bytes, each with a weight of its own. */
final class SumEncoder implements ParityEncoder.Source {
  /** Encoders that were opened and not closed. */
  final AtomicInteger open = new AtomicInteger();

  /** What each stripe is refused with. */
  volatile @Nullable FallbackException failure;

  /** Thrown where an encoder is closed, which it is all the same. */
  volatile @Nullable RuntimeException failureOfClose;

  /** One byte of parity. */
  static byte sum(int parityUnit, byte[] data) {
    int sum = 0;
    for (int i = 0; i < data.length; i++) {
      sum += (i + 1 + parityUnit * 7) * data[i];
    }
    return (byte) sum;
  }

  @Override
  public ParityEncoder open(String codec, StripeLayout layout) throws FallbackException {
    if (!codec.equals("xor")) {
      throw new FallbackException(FallbackReason.WRITE_UNSUPPORTED, codec);
    }
    open.incrementAndGet();
    return new Sums();
  }

  private final class Sums implements ParityEncoder {
    private boolean closed;

    @Override
    public void encode(ByteBuffer[] data, ByteBuffer[] parity) throws FallbackException {
      FallbackException no = failure;
      if (no != null) {
        throw no;
      }
      byte[] column = new byte[data.length];
      while (data[0].hasRemaining()) {
        for (int i = 0; i < data.length; i++) {
          column[i] = data[i].get();
        }
        for (int i = 0; i < parity.length; i++) {
          parity[i].put(sum(i, column));
        }
      }
    }

    @Override
    public void close() {
      open.addAndGet(closed ? 0 : -1);
      closed = true;
      RuntimeException no = failureOfClose;
      if (no != null) {
        throw no;
      }
    }
  }
}
