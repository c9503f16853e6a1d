// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.client.SampleAnswers;
import org.junit.jupiter.api.Test;

class FileWritesTest {
  private static final long GIGABYTE = 1_000_000_000;

  @Test
  void slotsAreInNoOtherFigure() {
    Meters begun = new Meters(10, 5, 100, 200, 300);
    Meters ended = new Meters(10.5, 5.25, 100 + GIGABYTE / 100, 250, GIGABYTE);
    Meters settled = new Meters(12, 5.25, 100 + GIGABYTE, 300, 6 * GIGABYTE + 200);
    SlotCost slots = new SlotCost(3 * GIGABYTE, GIGABYTE, 1.5);

    Pass pass =
        FileWrites.pass(
            Way.AGENT,
            SampleAnswers.of(GIGABYTE, 0, 1),
            ended.since(begun),
            settled.since(begun),
            slots);

    assertThat(pass.dataNodeCpuPerGigabyte()).isEqualTo(0.5);
    assertThat(pass.agentCpuPerGigabyte()).isEqualTo(0.25);
    assertThat(pass.loopbackPerByte()).isEqualTo(0.01);
    // 100 bytes were read, and 3 GB written besides the slots.
    assertThat(pass.deviceBytes()).isEqualTo(3 * GIGABYTE);
    assertThat(pass.linksPerByte()).isCloseTo(3.01, within(1e-9));
    assertThat(pass.slotsPerByte()).isEqualTo(3);
    assertThat(pass.slotCpuPerGigabyte()).isEqualTo(1.5);
  }
}
