// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where blocks lie in files of many extents, and that they are read from there. */
class PieceFilesTest {
  private static final int BLOCK = Workload.BLOCK_BYTES;

  private static byte[] read(ReadableData data, int first, int blocks) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(blocks * BLOCK);
    data.read(first, blocks, target);
    assertThat(target.hasRemaining()).isFalse();
    return target.array();
  }

  private static byte[] block(byte[] bytes, long offset) {
    return Arrays.copyOfRange(bytes, (int) offset, (int) offset + BLOCK);
  }

  @Test
  void aHoleIsBehindEachPiece() {
    PieceFiles pieces = new PieceFiles(Path.of("/mnt"), 3, 5, 2);
    assertThat(pieces.fileOf(4)).isZero();
    assertThat(pieces.fileOf(5)).isEqualTo(1);
    // Pieces of 2, 2 and 1 block, at 0, 3 and 6, in each file.
    long[] places = {0, 1, 3, 4, 6};
    for (int block = 0; block < 15; block++) {
      assertThat(pieces.offsetOf(block)).as("%d", block).isEqualTo(places[block % 5] * BLOCK);
    }
  }

  @Test
  void blocksAreReadFromTheirPlaces(@TempDir Path parent) throws IOException {
    PieceFiles pieces = new PieceFiles(parent.resolve("data"), 3, 5, 2);
    pieces.write();
    ReadableData open = new OpenPieces(pieces);
    Set<ByteBuffer> different = new HashSet<>();
    for (int block = 0; block < 15; block++) {
      byte[] file = Files.readAllBytes(pieces.path(pieces.fileOf(block)));
      assertThat(file).hasSize(7 * BLOCK);
      byte[] its = read(open, block, 1);
      assertThat(its).isEqualTo(block(file, pieces.offsetOf(block)));
      assertThat(block(file, 2L * BLOCK)).containsOnly(0);
      assertThat(block(file, 5L * BLOCK)).containsOnly(0);
      different.add(ByteBuffer.wrap(its));
    }
    assertThat(different).hasSize(15);
  }

  @Test
  void severalBlocksAreReadAcrossHolesAndFiles(@TempDir Path parent) throws IOException {
    PieceFiles pieces = new PieceFiles(parent.resolve("data"), 2, 3, 2);
    pieces.write();
    ReadableData open = new OpenPieces(pieces);
    byte[] all = read(open, 1, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(block(all, (long) i * BLOCK)).as("%d", i).isEqualTo(read(open, 1 + i, 1));
    }
  }

  @Test
  void oneFileIsReadByScansThatTakeTurns(@TempDir Path folder) throws IOException {
    byte[] content = new byte[32 * BLOCK];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i / BLOCK * 7 + i);
    }
    Path file = Files.write(folder.resolve("data"), content);
    ReadableData open = new ScannedFile(file);
    for (int block = 0; block < 16; block += 2) {
      for (int scan = 0; scan < 2; scan++) {
        int first = 16 * scan + block;
        byte[] expected = Arrays.copyOfRange(content, first * BLOCK, (first + 2) * BLOCK);
        assertThat(read(open, first, 2)).isEqualTo(expected);
      }
    }
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> read(open, 31, 2))
        .withMessage("the data ends at " + 32 * BLOCK);
  }
}
