// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.ByteRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Superblocks whole and damaged. Those of mkfs itself are read in the integration tests. */
final class SuperblockTest {
  private static final UUID FS = UUID.fromString("0a1b2c3d-4e5f-4061-8293-a4b5c6d7e8f9");

  @Test
  void ext4WithoutChecksum() {
    assertThat(Superblock.parse(ext4(1000, 2, 0, 0)))
        .contains(new Superblock("ext4", FS, 1000 * 4096));
  }

  @Test
  void ext4BlockCountHas64Bits() {
    ByteBuffer device = ext4(1, 2, 0x80, 0);
    device.putInt(1024 + 0x150, 3);

    assertThat(Superblock.parse(device))
        .contains(new Superblock("ext4", FS, ((3L << 32) + 1) * 4096));
  }

  @Test
  void ext4HighWordIsNotReadWithoutTheFeature() {
    ByteBuffer device = ext4(7, 2, 0, 0);
    device.putInt(1024 + 0x150, 3);

    assertThat(Superblock.parse(device)).contains(new Superblock("ext4", FS, 7 * 4096));
  }

  @Test
  void ext4OfMoreBytesThanThereAreNumbersIsRefused() {
    ByteBuffer device = ext4(1, 6, 0x80, 0);
    device.putInt(1024 + 0x150, 0x7FFFFFFF);

    assertThat(Superblock.parse(device)).isEmpty();
  }

  @Test
  void xfsVersion5() {
    assertThat(Superblock.parse(xfs(1000, 4096, 512)))
        .contains(new Superblock("xfs", FS, 1000 * 4096));
  }

  @Test
  void xfsVersion4HasNoChecksum() {
    ByteBuffer device = xfs(1000, 4096, 512);
    device.order(ByteOrder.BIG_ENDIAN).putShort(100, (short) 0xB4B4);

    assertThat(Superblock.parse(device)).contains(new Superblock("xfs", FS, 1000 * 4096));
  }

  @Test
  void xfsChecksumCoversTheWholeSector() {
    ByteBuffer device = xfs(1000, 4096, 4096);
    assertThat(Superblock.parse(device)).isPresent();

    device.put(4095, (byte) 1);

    assertThat(Superblock.parse(device)).isEmpty();
  }

  @Property
  void anyFlippedBitUnderTheExt4ChecksumIsSeen(
      @ForAll @IntRange(max = 1023) int at, @ForAll @IntRange(max = 7) int bit) {
    ByteBuffer device = ext4(1000, 2, 0, 0x400);
    assertThat(Superblock.parse(device)).isPresent();

    device.put(1024 + at, (byte) (device.get(1024 + at) ^ 1 << bit));

    // The one bit that turns the checksum itself off leaves a valid superblock behind.
    boolean checksumOff = at == 0x65 && bit == 2;
    assertThat(Superblock.parse(device).isPresent()).isEqualTo(checksumOff);
  }

  @Property
  void anyFlippedBitUnderTheXfsChecksumIsSeen(
      @ForAll @IntRange(max = 511) int at, @ForAll @IntRange(max = 7) int bit) {
    ByteBuffer device = xfs(1000, 4096, 512);
    device.put(at, (byte) (device.get(at) ^ 1 << bit));

    // Version 5 is one bit away from version 4, which has no checksum.
    boolean checksumOff = at == 101 && bit == 0;
    assertThat(Superblock.parse(device).isPresent()).isEqualTo(checksumOff);
  }

  @Property
  void whateverIsOnTheDeviceIsAnAnswer(@ForAll("damaged") byte[] bytes) {
    Optional<Superblock> found = Superblock.parse(ByteBuffer.wrap(bytes));

    found.ifPresent(superblock -> assertThat(superblock.sizeBytes()).isPositive());
  }

  @Property
  void noiseIsNoFileSystem(@ForAll @Size(max = 5000) @ByteRange(min = 1, max = 0x40) byte[] bytes) {
    // Neither 0xEF nor "XFSB" can be made of these bytes.
    assertThat(Superblock.parse(ByteBuffer.wrap(bytes))).isEmpty();
  }

  /** Valid superblocks of all kinds, then a run of bytes replaced and the end cut off. */
  @Provide
  Arbitrary<byte[]> damaged() {
    Arbitrary<ByteBuffer> whole =
        Arbitraries.of(
            ext4(1000, 2, 0, 0),
            ext4(1000, 2, 0x80, 0),
            ext4(1000, 2, 0x80, 0x400),
            xfs(1000, 4096, 512),
            xfs(1000, 65536, 32768));
    Arbitrary<byte[]> run = Arbitraries.bytes().array(byte[].class).ofMaxSize(64);
    Arbitrary<Integer> at =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 300), Arbitraries.integers().between(1024, 1500));
    Arbitrary<Integer> length =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 4096), Arbitraries.just(Superblock.PROBE_BYTES));
    return Combinators.combine(whole, run, at, length)
        .as(
            (buffer, replacement, start, cut) -> {
              byte[] bytes = new byte[Superblock.PROBE_BYTES];
              buffer.get(0, bytes);
              System.arraycopy(replacement, 0, bytes, start, replacement.length);
              return Arrays.copyOf(bytes, cut);
            });
  }

  private static ByteBuffer ext4(int blocks, int logBlockSize, int incompat, int roCompat) {
    return Superblocks.ext4(FS, blocks, logBlockSize, incompat, roCompat);
  }

  private static ByteBuffer xfs(long blocks, int blockSize, int sectorSize) {
    return Superblocks.xfs(FS, blocks, blockSize, sectorSize);
  }
}
