// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Whatever numbers are in a superblock of xfs, and whatever its tools print of a log or write into
 * a dump: it is sectors that bytes can be read of, or an IOException.
 */
final class XfsImageFuzzTest {
  private static final String LOG =
      """
      BUF: cnt:2 total:2 a:0x55 len:48
      \tBUF:  #regs:2   start blkno:0x18   len:8   bmap size:1   flags:0x5000
      \tBUF:  #regs:2   start blkno:0xfffffffffffffff   len:999999999   bmap size:1
      \tINODE: #regs:2   ino:0x83  flags:0x1   dsize:56
      \tINODE: #regs:2   ino:0xfffffffffffffff  flags:0x1   dsize:56
      """;

  static final List<byte[]> WHOLE =
      List.of(
          input(0x1000, 65_536, 16, 3, LOG.getBytes(ISO_8859_1)),
          input(0x10000, -1, 32, 8, LOG.getBytes(ISO_8859_1)),
          input(0x200, 1, 1, 0, LOG.getBytes(ISO_8859_1)),
          input(0x1000, 65_536, 16, 3, dump(1, 2, 1L << 33)),
          input(0x1000, 65_536, 16, 3, dump(-1, Long.MAX_VALUE, Long.MAX_VALUE / 512)));

  private static final int NUMBERS = 10;

  /** As many as there can be. */
  private static final long DEVICE_SECTORS = Long.MAX_VALUE / XfsImage.SECTOR;

  /** A line of a few bytes is a run of sectors, and a piece of text. */
  private static final long ALLOCATED_PER_BYTE = 1000;

  private static final long ALLOCATED_FIXED = 1L << 20;

  private static byte[] input(int blockSize, int groupBlocks, int groupLog, int log, byte[] text) {
    ByteBuffer input = ByteBuffer.allocate(NUMBERS + text.length);
    input.putInt(blockSize).putInt(groupBlocks).put((byte) groupLog).put((byte) log);
    return input.put(text).array();
  }

  private static byte[] dump(long... sectors) {
    ByteBuffer dump = ByteBuffer.allocate(512 * (1 + sectors.length));
    dump.putInt(0x5846534D).putShort((short) sectors.length).put((byte) 9).put((byte) 0);
    for (long sector : sectors) {
      dump.putLong(sector);
    }
    return dump.array();
  }

  @Property
  void anySectorsCanBeReadOrAreRefused(@ForAll("inputs") byte[] input) throws IOException {
    long bound = ALLOCATED_FIXED + ALLOCATED_PER_BYTE * input.length;
    Allocation.assertBelow(bound, () -> read(input));
  }

  static void read(byte[] input) throws IOException {
    byte[] numbers = Arrays.copyOf(input, NUMBERS);
    byte[] said = Arrays.copyOfRange(input, Math.min(input.length, NUMBERS), input.length);
    try {
      assertReadable(Sectors.ofDump(new DataInputStream(new ByteArrayInputStream(said))));
    } catch (IOException refused) {
      // It may still be the text of a log.
    }
    XfsGeometry geometry;
    try {
      geometry = XfsGeometry.parse(superblock(numbers));
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("makes no sense");
      return;
    }
    assertReadable(
        XfsLogText.named(
            new BufferedReader(
                new InputStreamReader(new ByteArrayInputStream(said), ISO_8859_1), 512),
            geometry,
            DEVICE_SECTORS));
  }

  private static ByteBuffer superblock(byte[] numbers) {
    return ByteBuffer.allocate(512)
        .putInt(0, 0x58465342)
        .putShort(100, (short) 0xB4A5)
        .put(4, numbers, 0, 4)
        .put(84, numbers, 4, 4)
        .put(124, numbers[8])
        .put(123, numbers[9]);
  }

  /** Whether each has a place in bytes that a number can say. */
  private static void assertReadable(Sectors sectors) {
    sectors
        .runs()
        .forEach(
            (first, end) -> {
              assertThat(first).isNotNegative();
              assertThat(end).isBetween(first, Long.MAX_VALUE / XfsImage.SECTOR);
            });
  }

  @Provide
  Arbitrary<byte[]> inputs() {
    return Damage.of(WHOLE);
  }
}
