// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.FallbackException;
import java.nio.ByteBuffer;

/** Makes parity of data by one code. For one thread at a time. */
public interface ParityEncoder extends AutoCloseable {
  /** The codes that this host knows. Thread-safe. */
  @FunctionalInterface
  interface Source {
    /**
     * An encoder.
     *
     * @param codec its name in HDFS's policies, such as {@code rs}
     * @throws FallbackException WRITE_UNSUPPORTED for one that is not known here
     */
    ParityEncoder open(String codec, StripeLayout layout) throws FallbackException;
  }

  /**
   * Makes the parity of cells.
   *
   * @param data direct buffers of the same remaining length; their positions may change
   * @param parity the same, which are filled
   * @throws FallbackException INTERNAL_ERROR if the code fails
   */
  void encode(ByteBuffer[] data, ByteBuffer[] parity) throws FallbackException;

  /** Frees what it has beside the heap. Idempotent. */
  @Override
  void close();
}
