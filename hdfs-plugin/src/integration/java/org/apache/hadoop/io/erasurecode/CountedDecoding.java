// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;

/**
 * Hadoop's own Reed-Solomon coder, which counts what it decodes in this JVM. In Hadoop's package,
 * for a file of {@code META-INF/services} would put it into the daemons too.
 */
public final class CountedDecoding extends RSRawErasureCoderFactory {
  private static final String NAME = "rs_counted";
  private static final LongAdder BYTES = new LongAdder();

  private CountedDecoding() {}

  /** Has clients of a configuration in this JVM decode by it. */
  public static void use(Configuration conf) {
    CodecRegistry registry = CodecRegistry.getInstance();
    if (registry.getCoderByName(ErasureCodeConstants.RS_CODEC_NAME, NAME) == null) {
      registry.updateCoders(List.of(new CountedDecoding()));
    }
    conf.set(CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY, NAME);
  }

  /** What was decoded since this JVM began. */
  public static long bytes() {
    return BYTES.sum();
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new Decoder(options);
  }

  @Override
  public String getCoderName() {
    return NAME;
  }

  private static final class Decoder extends RSRawDecoder {
    Decoder(ErasureCoderOptions options) {
      super(options);
    }

    @Override
    public synchronized void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs)
        throws IOException {
      for (ByteBuffer output : outputs) {
        BYTES.add(output.remaining());
      }
      super.decode(inputs, erased, outputs);
    }
  }
}
