// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a meta file begins with says how its block can be verified, or is refused. */
final class DeviceMetaHeaderFuzzTest {
  static final List<byte[]> WHOLE =
      List.of(
          new byte[] {0, 1, 2, 0, 0, 2, 0},
          new byte[] {0, 1, 1, 0x7F, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF},
          new byte[] {0, 1, 0, 0, 0, 2, 0});

  private static final BlockKey BLOCK = new BlockKey("BP-1", 1, 2);
  private static final int SECTOR = 512;
  private static final long ALLOCATED_MAX = 1L << 20;

  @Property
  void anyBytesAreAHeaderOrRefused(@ForAll("contents") byte[] content) {
    check(content);
  }

  static void check(byte[] content) {
    Allocation.assertBelow(ALLOCATED_MAX, () -> parse(content));
  }

  /** The file's bytes are at the start of a sector of the device, whose byte order is another. */
  private static void parse(byte[] content) {
    ByteBuffer sector = ByteBuffer.wrap(Arrays.copyOf(content, SECTOR));
    sector.order(ByteOrder.LITTLE_ENDIAN);
    try {
      MetaHeader.requireWhole(BLOCK, content.length);
      ChecksumSpec checksum = MetaHeader.parse(BLOCK, sector);
      assertThat(encoded(checksum)).isEqualTo(Arrays.copyOf(content, 7));
      assertThat(checksum.type()).isNotEqualTo(ChecksumSpec.Type.NULL);
      assertThat(checksum.bytesPerChecksum()).isPositive();
      requireFit(checksum, Long.MAX_VALUE / 1024);
    } catch (FallbackException e) {
      assertThat(e.reason())
          .isEqualTo(
              content.length < 7
                  ? FallbackReason.REPLICA_CHANGED
                  : FallbackReason.CHECKSUM_UNSUPPORTED);
    }
  }

  /** A meta file fits a block by its length, and by no other. */
  private static void requireFit(ChecksumSpec checksum, long blockBytes) throws FallbackException {
    long metaBytes = checksum.metaLength(blockBytes);
    assertThat(metaBytes).isGreaterThan(7);
    MetaHeader.requireFit(BLOCK, checksum, blockBytes, metaBytes);
    try {
      MetaHeader.requireFit(BLOCK, checksum, blockBytes, metaBytes - 1);
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.REPLICA_CHANGED);
      return;
    }
    throw new AssertionError("a meta file that is too short fits");
  }

  private static byte[] encoded(ChecksumSpec checksum) {
    return ByteBuffer.allocate(7)
        .putShort((short) 1)
        .put((byte) checksum.type().id())
        .putInt(checksum.bytesPerChecksum())
        .array();
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Damage.of(WHOLE);
  }
}
