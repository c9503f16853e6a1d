// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.MetaHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read back of a block, whatever the size of its chunks is to that of its units. */
final class ReadBackTest {
  private static final int UNIT = PlainSlotFiles.UNIT;
  private static final int LENGTH = 30 * UNIT + 1;

  /** One of one unit, one of many, and one that the block has one byte of. */
  private static final ExtentList EXTENTS =
      ExtentList.of(
          new long[] {1L << 20, 1L << 21, 1L << 22}, new long[] {UNIT, 29L * UNIT, 2L * UNIT});

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = Files.write(folder.resolve("slot"), content(LENGTH));
  }

  private ReadBack reading(int chunk) throws IOException {
    byte[] content = content(LENGTH);
    ByteBuffer crcs = ByteBuffer.allocate((LENGTH + chunk - 1) / chunk * ChecksumSpec.CRC_BYTES);
    for (int at = 0; at < LENGTH; at += chunk) {
      CRC32 crc = new CRC32();
      crc.update(content, at, Math.min(chunk, LENGTH - at));
      crcs.putInt((int) crc.getValue());
    }
    ChecksumSpec spec = new ChecksumSpec(ChecksumSpec.Type.CRC32, chunk, MetaHeader.LENGTH);
    return new ReadBack(new PlainSlotFiles(), file, LENGTH, spec, crcs.array(), UNIT);
  }

  private void change(int offset) throws IOException {
    byte[] content = content(LENGTH);
    content[offset] ^= 1;
    Files.write(file, content);
  }

  @ParameterizedTest
  @ValueSource(ints = {512, 4095, 4096, 4097, 65_536, 1 << 20})
  void whatIsRightIsFoundRight(int chunk) throws Exception {
    try (ReadBack back = reading(chunk)) {
      for (int i = 0; i < 100; i++) {
        long chunkByChance = i;
        back.sample(EXTENTS, () -> chunkByChance);
      }
      back.all();
    }
  }

  /** Of each extent the first and the last byte, and of the first unit. */
  @ParameterizedTest
  @ValueSource(ints = {0, UNIT - 1, UNIT, 30 * UNIT - 1, 30 * UNIT})
  void oneWrongByteInAUnitThatMayHaveAStampIsFound(int offset) throws Exception {
    change(offset);
    for (int chunk : new int[] {512, 4095, 65_536}) {
      long chunkByChance = 100_000 / chunk;
      try (ReadBack back = reading(chunk)) {
        assertThatExceptionOfType(FallbackException.class)
            .isThrownBy(() -> back.sample(EXTENTS, () -> chunkByChance))
            .matches(e -> e.reason() == FallbackReason.CHECKSUM_MISMATCH);
      }
    }
  }

  @Test
  void anyOtherByteIsFoundByChanceOrWhereAllIsRead() throws Exception {
    int offset = 10 * UNIT + 7;
    long chunkByChance = offset / 512;
    change(offset);
    try (ReadBack back = reading(512)) {
      back.sample(EXTENTS, () -> 0);
      assertThatExceptionOfType(FallbackException.class)
          .isThrownBy(() -> back.sample(EXTENTS, () -> chunkByChance))
          .withMessageContaining("chunk " + chunkByChance);
      assertThatExceptionOfType(FallbackException.class).isThrownBy(back::all);
    }
  }

  @Test
  void chunksByChanceAreAsManyAsTheRuleSays() throws Exception {
    int[] asked = {0};
    try (ReadBack back = reading(512)) {
      back.sample(EXTENTS, () -> asked[0]++);
    }
    assertThat(asked[0]).isEqualTo(ReadBack.SAMPLES);
  }
}
