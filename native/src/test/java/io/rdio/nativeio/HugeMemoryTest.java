// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The binding; the rest is tested in C. */
final class HugeMemoryTest {
  @BeforeEach
  void loadLibrary() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  @Test
  void isAlignedAndZeroed() {
    ByteBuffer memory = HugeMemory.allocate(2 * HugeMemory.PAGE);

    assertThat(memory).isNotNull();
    assertThat(memory.capacity()).isEqualTo(2 * HugeMemory.PAGE);
    assertThat(DirectReader.addressOf(memory) % HugeMemory.PAGE).isZero();
    assertThat(memory.mismatch(ByteBuffer.allocate(2 * HugeMemory.PAGE))).isEqualTo(-1);
  }

  @Test
  void sliceKeepsItFromBeingFreed() {
    ByteBuffer slice = HugeMemory.allocate(HugeMemory.PAGE).slice(4096, 4096).put(0, (byte) 7);

    for (int i = 0; i < 3; i++) {
      System.gc();
      ByteBuffer other = HugeMemory.allocate(HugeMemory.PAGE);
      assertThat(DirectReader.addressOf(other) + 4096).isNotEqualTo(DirectReader.addressOf(slice));
    }
    assertThat(slice.get(0)).isEqualTo((byte) 7);
  }

  @Test
  void nothingIsRefusedByAnException() {
    assertThat(HugeMemory.allocate(4096)).isNull();
    assertThat(HugeMemory.allocate(0)).isNull();
    assertThat(HugeMemory.allocate(-HugeMemory.PAGE)).isNull();
  }
}
