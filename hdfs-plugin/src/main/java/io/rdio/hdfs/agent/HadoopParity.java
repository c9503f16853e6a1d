// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.client.write.ParityEncoder;
import io.rdio.client.write.StripeLayout;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * Parity by Hadoop's own coders, as its configuration says which: ISA-L where Hadoop's native
 * library has it.
 */
final class HadoopParity implements ParityEncoder {
  private final RawErasureEncoder encoder;
  private boolean closed;

  private HadoopParity(RawErasureEncoder encoder) {
    this.encoder = encoder;
  }

  /** Those that a configuration knows. */
  static ParityEncoder.Source of(Configuration conf) {
    return (codec, layout) -> open(conf, codec, layout);
  }

  private static ParityEncoder open(Configuration conf, String codec, StripeLayout layout)
      throws FallbackException {
    try {
      return new HadoopParity(
          CodecUtil.createRawEncoder(
              conf, codec, new ErasureCoderOptions(layout.dataUnits(), layout.parityUnits())));
    } catch (RuntimeException | LinkageError e) { // Hadoop's say what is wrong
      throw new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED, "erasure code " + codec + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void encode(ByteBuffer[] data, ByteBuffer[] parity) throws FallbackException {
    try {
      encoder.encode(data, parity);
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.INTERNAL_ERROR, "parity could not be made: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      encoder.release();
    }
  }
}
