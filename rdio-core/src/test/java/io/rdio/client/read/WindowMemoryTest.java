// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** That memory is aligned, nobody else's, and large pieces lie side by side in huge pages. */
final class WindowMemoryTest {
  private static final int LARGE = ReadGeometry.WINDOW + ReadGeometry.ALIGNMENT;

  private final WindowMemory memory = new WindowMemory();

  @BeforeEach
  void loadLibrary() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  @Test
  void piecesAreAlignedAndApart() {
    int[] sizes = {16 << 10, LARGE, 1 << 20};
    List<ByteBuffer> pieces = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ByteBuffer piece = memory.take(sizes[i % sizes.length]);
      assertThat(DirectReader.addressOf(piece) % ReadGeometry.ALIGNMENT).isZero();
      assertThat(piece.capacity()).isEqualTo(sizes[i % sizes.length]);
      assertThat(piece.mismatch(ByteBuffer.allocate(piece.capacity()))).isEqualTo(-1);
      fill(piece, i);
      pieces.add(piece);
    }

    for (int i = 0; i < pieces.size(); i++) {
      ByteBuffer expected = ByteBuffer.allocate(pieces.get(i).capacity());
      fill(expected, i);
      assertThat(pieces.get(i).mismatch(expected)).isEqualTo(-1);
    }
  }

  private static void fill(ByteBuffer piece, int value) {
    for (int at = 0; at < piece.capacity(); at++) {
      piece.put(at, (byte) value);
    }
  }

  @Test
  void largePiecesShareHugePages() {
    long first = DirectReader.addressOf(memory.take(LARGE));
    long second = DirectReader.addressOf(memory.take(LARGE));

    assertThat(first % HugeMemory.PAGE).isZero();
    assertThat(second - first).isEqualTo(LARGE);
  }

  @Test
  void whatIsLargerThanSlabIsThereToo() {
    assertThat(memory.take(64 << 20).capacity()).isEqualTo(64 << 20);
  }
}
