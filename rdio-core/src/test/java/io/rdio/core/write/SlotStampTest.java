// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stamp comes back as it was, and nothing else is taken for one. */
final class SlotStampTest {
  private static final SlotStamp STAMP =
      new SlotStamp(0x0102030405060708L, 0x1112131415161718L, 3, 512);

  /** One that was on a device must be known by all that come later. */
  @Test
  void isOnTheDeviceAsItEverWas() {
    ByteBuffer unit = encoded(STAMP);

    assertThat(unit.getLong(0)).isEqualTo(0x5244494F534C4F54L);
    assertThat(unit.getLong(8)).isEqualTo(STAMP.slot());
    assertThat(unit.getLong(16)).isEqualTo(STAMP.nonce());
    assertThat(unit.getInt(24)).isEqualTo(3);
    assertThat(unit.getInt(28)).isEqualTo(512);
    for (int i = 32; i < 508; i++) {
      assertThat(unit.get(i)).isZero();
    }
    assertThat(unit.getInt(508)).isEqualTo(0x08791FC6);
  }

  @Property
  void comesBackAsItWas(
      @ForAll long slot,
      @ForAll long nonce,
      @ForAll @IntRange(max = 63) int number,
      @ForAll @IntRange(min = 9, max = 16) int unitBits,
      @ForAll @IntRange(max = 5) int before) {
    SlotStamp stamp = new SlotStamp(slot, nonce, number, 1 << unitBits);
    ByteBuffer buffer =
        ByteBuffer.allocate(before + stamp.unit()).order(ByteOrder.LITTLE_ENDIAN).position(before);

    stamp.encode(buffer);

    assertThat(buffer.hasRemaining()).isFalse();
    buffer.position(before);
    assertThat(SlotStamp.decode(buffer)).contains(stamp);
    assertThat(stamp.isShownBy(buffer)).isTrue();
    assertThat(buffer.position()).isEqualTo(before);
    assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
  }

  @Property
  void anyOtherBitIsNoStamp(@ForAll @IntRange(max = 8 * 512 - 1) int bit) {
    ByteBuffer unit = encoded(STAMP);
    unit.put(bit / 8, (byte) (unit.get(bit / 8) ^ 1 << bit % 8));

    assertThat(SlotStamp.decode(unit)).isEmpty();
    assertThat(STAMP.isShownBy(unit)).isFalse();
  }

  @Property
  void otherBytesAreNoStamp(@ForAll long seed, @ForAll @IntRange(max = 1024) int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);

    assertThat(SlotStamp.decode(ByteBuffer.wrap(bytes))).isEmpty();
  }

  /** With a CRC that fits: such a unit was made on purpose, or by another version. */
  @ParameterizedTest
  @CsvSource({"24, -1", "24, 64", "28, 1024", "28, 0", "32, 1", "504, 1", "0, 0"})
  void whatIsOutOfRangeIsNoStamp(int at, int value) {
    ByteBuffer unit = encoded(STAMP);
    unit.putInt(at, value);
    CRC32C crc = new CRC32C();
    crc.update(unit.slice(0, 508));
    unit.putInt(508, (int) crc.getValue());

    assertThat(SlotStamp.decode(unit)).isEmpty();
  }

  @Test
  void stampsOfOthersAreNotThisOne() {
    for (SlotStamp other :
        new SlotStamp[] {
          new SlotStamp(STAMP.slot() + 1, STAMP.nonce(), 3, 512),
          new SlotStamp(STAMP.slot(), STAMP.nonce() + 1, 3, 512),
          new SlotStamp(STAMP.slot(), STAMP.nonce(), 2, 512),
          new SlotStamp(STAMP.slot(), STAMP.nonce(), 3, 1024)
        }) {
      assertThat(SlotStamp.decode(encoded(other))).contains(other);
      assertThat(STAMP.isShownBy(encoded(other))).isFalse();
    }
  }

  @Test
  void aPieceOfAUnitIsNoStamp() {
    ByteBuffer unit = encoded(new SlotStamp(1, 2, 0, 4096));

    assertThat(SlotStamp.decode(unit.slice(0, 2048))).isEmpty();
    assertThat(SlotStamp.decode(unit.slice(0, 4095))).isEmpty();
    assertThat(SlotStamp.decode(ByteBuffer.allocate(0))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"-1, 512", "64, 512", "0, 0", "0, 256", "0, 4095", "0, 131072", "0, -2147483648"})
  void cannotBeMadeOutOfRange(int number, int unit) {
    assertThatThrownBy(() -> new SlotStamp(1, 2, number, unit))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void wantsRoomForAUnit() {
    ByteBuffer small = ByteBuffer.allocate(511);

    assertThatThrownBy(() -> STAMP.encode(small)).isInstanceOf(BufferOverflowException.class);
    assertThat(small.position()).isZero();
  }

  private static ByteBuffer encoded(SlotStamp stamp) {
    ByteBuffer unit = ByteBuffer.allocate(stamp.unit());
    stamp.encode(unit);
    return unit.flip();
  }
}
