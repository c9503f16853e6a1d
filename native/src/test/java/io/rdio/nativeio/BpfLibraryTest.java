// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** That the build put librdio_bpf where its loader looks. */
final class BpfLibraryTest {
  @Test
  void comesFromTheJar() {
    assertThat(BpfLibrary.availability().toString())
        .startsWith("librdio_bpf loaded from META-INF/native/linux-")
        .endsWith("/librdio_bpf.so of the jar");
  }

  @Test
  void slotsOfNeighboursDiffer() {
    assertThat(BpfLibrary.availability().isAvailable()).isTrue();
    assertThat(KTracer.epochSlot(8 << 20, 12))
        .isBetween(0, 65535)
        .isNotEqualTo(KTracer.epochSlot(8 << 20, 13))
        .isNotEqualTo(KTracer.epochSlot(8 << 20 | 1, 12));
  }
}
