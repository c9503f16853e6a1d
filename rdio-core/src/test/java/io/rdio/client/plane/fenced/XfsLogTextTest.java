// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which sectors a log names, and by which numbers of a superblock. */
final class XfsLogTextTest {
  private static final long DEVICE_SECTORS = 1L << 30;

  private static XfsGeometry geometry(int blockSize, int groupBlocks, int groupLog, int inodesLog)
      throws IOException {
    return XfsGeometry.parse(
        ByteBuffer.allocate(512)
            .putInt(0, 0x58465342)
            .putInt(4, blockSize)
            .putInt(84, groupBlocks)
            .putShort(100, (short) 0xB4A5)
            .put(123, (byte) inodesLog)
            .put(124, (byte) groupLog));
  }

  private static Map<Long, Long> named(String text) throws IOException {
    XfsGeometry geometry = geometry(4096, 65_000, 16, 3);
    return XfsLogText.named(new BufferedReader(new StringReader(text)), geometry, DEVICE_SECTORS)
        .runs();
  }

  @Test
  void buffersAndChunksOfInodesAreNamed() throws IOException {
    assertThat(named("\tBUF:  #regs:2   start blkno:0x18   len:8   bmap size:1   flags:0x5000\n"))
        .isEqualTo(Map.of(0x18L, 0x20L));
    long inode = (2L << 19) + (100 << 3) + 5; // in block 100 of group 2
    long first = (2 * 65_000 + 100 - 8) * 8L;
    assertThat(named("\tINODE: #regs:2   ino:0x" + Long.toHexString(inode) + "  flags:0x1\n"))
        .isEqualTo(Map.of(first, first + 16 * 8));
    assertThat(named("TRANS: tid:0x1  #items:3\nBUF: cnt:2 total:2\n")).isEmpty();
  }

  @Test
  void whatNoDeviceHasIsLeftOut() throws IOException {
    assertThat(named("BUF:  start blkno:0xfffffffffffffff   len:999999999 \n")).isEmpty();
    assertThat(named("INODE: #regs:2   ino:0xfffffffffffffff  flags:0x1\n")).isEmpty();
    assertThat(named("BUF:  start blkno:0x3fffffff   len:8 \n"))
        .isEqualTo(Map.of(DEVICE_SECTORS - 1, DEVICE_SECTORS));
  }

  /** Or an inode's number would lead to a sector below 0. */
  @ParameterizedTest
  @CsvSource({"4096,65537,16,3", "4096,-1,31,3", "4096,65536,16,0", "4096,65536,16,5"})
  void numbersThatDoNotFitAreRefused(int blockSize, int groupBlocks, int groupLog, int inodesLog) {
    assertThatThrownBy(() -> geometry(blockSize, groupBlocks, groupLog, inodesLog))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("makes no sense");
  }
}
