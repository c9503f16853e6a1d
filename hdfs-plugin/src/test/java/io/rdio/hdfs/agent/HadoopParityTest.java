// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.write.ParityEncoder;
import io.rdio.client.write.ParityMode;
import io.rdio.client.write.StripeLayout;
import io.rdio.client.write.StripedWriter;
import io.rdio.client.write.StripesFixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Groups by chance, against Hadoop's own layout and its own coders: blocks are what stock HDFS
 * would have written, and any of them are made again of the others.
 */
@Timeout(120)
final class HadoopParityTest {
  private static final int UNIT = 4096;
  private static final long MEMORY = 64L << 20;
  private static final Configuration CONF = new Configuration(false);

  /** Codec, data and parity of HDFS's own policies. */
  private record Code(String codec, int data, int parity) {
    static final Code[] ALL = {
      new Code("rs", 3, 2),
      new Code("rs", 6, 3),
      new Code("rs", 10, 4),
      new Code("rs-legacy", 6, 3),
      new Code("xor", 2, 1)
    };

    ErasureCoderOptions options() {
      return new ErasureCoderOptions(data, parity);
    }
  }

  @RepeatedTest(60)
  void blocksAreThoseOfStockHdfs(RepetitionInfo run) throws Exception {
    Random random = new Random(run.getCurrentRepetition());
    Code code = Code.ALL[random.nextInt(Code.ALL.length)];
    StripeLayout layout =
        new StripeLayout(code.data(), code.parity(), UNIT * (1 + random.nextInt(4)));
    ParityMode mode = List.of(ParityMode.values()).get(random.nextInt(ParityMode.values().length));
    try (StripesFixture fixture = new StripesFixture(layout, code(code), MEMORY)) {
      int length =
          1 + random.nextInt(random.nextBoolean() ? layout.stripeBytes() : fixture.groupBytes());
      ByteBuffer content = StripesFixture.content(length, random.nextLong());
      try (StripedWriter writer = fixture.open(mode)) {
        for (int at = 0; at < length; ) {
          int to = Math.min(length, at + UNIT * (1 + random.nextInt(20)));
          StripesFixture.write(writer, content, at, to);
          at = to;
        }
        assertThat(Long.bitCount(StripesFixture.commit(writer, content))).isEqualTo(layout.units());
      }
      assertThat(fixture.awaitParity()).isTrue();
      byte[][] blocks = requireBlocks(fixture, layout, code, content);
      requireMadeAgain(blocks, layout, code, random);
    }
  }

  /** Of the fixture's own name for it. */
  private static ParityEncoder.Source code(Code code) {
    return (name, layout) -> HadoopParity.of(CONF).open(code.codec(), layout);
  }

  /** All as long as the longest, which is how coders see them. */
  private static byte[][] requireBlocks(
      StripesFixture fixture, StripeLayout layout, Code code, ByteBuffer content)
      throws IOException {
    int length = content.limit();
    byte[][] blocks = new byte[layout.units()][];
    int longest = (int) internalLength(layout, length, 0);
    for (int unit = 0; unit < layout.units(); unit++) {
      int bytes = (int) internalLength(layout, length, unit);
      assertThat(layout.blockBytes(unit, length)).isEqualTo(bytes);
      byte[] written = bytes == 0 ? new byte[0] : fixture.written(unit, bytes);
      byte[] sums = fixture.committed(unit);
      assertThat(sums).isEqualTo(bytes == 0 ? null : StripesFixture.crcs(written));
      blocks[unit] = Arrays.copyOf(written, longest);
    }
    byte[][] data = laidOut(layout, content, longest);
    byte[][] parity = new byte[layout.parityUnits()][longest];
    RawErasureEncoder encoder = CodecUtil.createRawEncoder(CONF, code.codec(), code.options());
    encoder.encode(data, parity);
    for (int unit = 0; unit < layout.units(); unit++) {
      assertThat(blocks[unit])
          .as("block " + unit)
          .isEqualTo(unit < layout.dataUnits() ? data[unit] : parity[unit - layout.dataUnits()]);
    }
    return blocks;
  }

  private static long internalLength(StripeLayout layout, int length, int unit) {
    return StripedBlockUtil.getInternalBlockLength(
        length, layout.cellBytes(), layout.dataUnits(), unit);
  }

  private static byte[][] laidOut(StripeLayout layout, ByteBuffer content, int longest) {
    byte[][] data = new byte[layout.dataUnits()][longest];
    for (int at = 0; at < content.limit(); at++) {
      int cell = at / layout.cellBytes();
      int stripe = cell / layout.dataUnits();
      data[cell % layout.dataUnits()][stripe * layout.cellBytes() + at % layout.cellBytes()] =
          content.get(at);
    }
    return data;
  }

  /** Of as many as may be lost, each by chance. */
  private static void requireMadeAgain(
      byte[][] blocks, StripeLayout layout, Code code, Random random) throws IOException {
    int[] lost =
        random.ints(0, layout.units()).distinct().limit(layout.parityUnits()).sorted().toArray();
    byte[] @Nullable [] left = blocks.clone();
    byte[][] made = new byte[lost.length][blocks[0].length];
    for (int unit : lost) {
      left[unit] = null;
    }
    RawErasureDecoder decoder = CodecUtil.createRawDecoder(CONF, code.codec(), code.options());
    decoder.decode(left, lost, made);
    for (int i = 0; i < lost.length; i++) {
      assertThat(made[i]).as("block " + lost[i]).isEqualTo(blocks[lost[i]]);
    }
  }

  @Test
  void codeThatHadoopDoesNotKnowIsRefused() {
    assertThatThrownBy(() -> HadoopParity.of(CONF).open("none", new StripeLayout(3, 2, UNIT)))
        .hasMessageContaining("WRITE_UNSUPPORTED")
        .hasMessageContaining("erasure code none");
  }
}
