// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The binding; the rest is tested in C. */
final class HugeBuffersTest {
  @BeforeEach
  void loadLibrary() {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  @Test
  void isAlignedAndZeroed() {
    ByteBuffer memory = HugeBuffers.allocate(2 * HugeMemory.PAGE);

    assertThat(memory).isNotNull();
    assertThat(memory.capacity()).isEqualTo(2 * HugeMemory.PAGE);
    assertThat(DirectReader.addressOf(memory) % HugeMemory.PAGE).isZero();
    assertThat(memory.mismatch(ByteBuffer.allocate(2 * HugeMemory.PAGE))).isEqualTo(-1);
  }

  @Test
  void sliceKeepsItFromBeingFreed() {
    ByteBuffer slice = HugeBuffers.allocate(HugeMemory.PAGE).slice(4096, 4096).put(0, (byte) 7);

    for (int i = 0; i < 3; i++) {
      System.gc();
      ByteBuffer other = HugeBuffers.allocate(HugeMemory.PAGE);
      assertThat(DirectReader.addressOf(other) + 4096).isNotEqualTo(DirectReader.addressOf(slice));
    }
    assertThat(slice.get(0)).isEqualTo((byte) 7);
  }

  @Test
  void nothingIsRefusedByAnException() {
    assertThat(HugeBuffers.allocate(4096)).isNull();
    assertThat(HugeBuffers.allocate(0)).isNull();
    assertThat(HugeBuffers.allocate(-HugeMemory.PAGE)).isNull();
  }
}
