// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** CRC-32C in pieces, from any state; CRC-16 by its published check value. */
final class Crc32cTest {
  private static final byte[] DIGITS = "123456789".getBytes(StandardCharsets.US_ASCII);

  @Test
  void publishedCheckValues() {
    assertThat(~Crc32c.extend(Crc32c.START, ByteBuffer.wrap(DIGITS))).isEqualTo(0xE3069283);
    // CRC-16/MODBUS
    assertThat(Crc16.extend(Crc16.START, ByteBuffer.wrap(DIGITS))).isEqualTo(0x4B37);
  }

  @Property
  void piecesMakeTheWhole(@ForAll byte[] bytes, @ForAll @IntRange(max = 100) int percent) {
    int cut = bytes.length * percent / 100;
    int first = Crc32c.extend(Crc32c.START, ByteBuffer.wrap(bytes, 0, cut));
    int both = Crc32c.extend(first, ByteBuffer.wrap(Arrays.copyOfRange(bytes, cut, bytes.length)));

    assertThat(both).isEqualTo(Crc32c.extend(Crc32c.START, ByteBuffer.wrap(bytes)));
  }

  @Property
  void numbersAreTheirFourBytes(@ForAll int state, @ForAll int number) {
    ByteBuffer bytes = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(0, number);

    assertThat(Crc32c.extend(state, number)).isEqualTo(Crc32c.extend(state, bytes));
  }

  @Property
  void noBytesLeaveAnyStateAsItIs(@ForAll int state) {
    assertThat(Crc32c.extend(state, ByteBuffer.allocate(0))).isEqualTo(state);
  }
}
