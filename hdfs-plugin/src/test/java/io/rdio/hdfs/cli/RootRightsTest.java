// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RootRightsTest {
  @ParameterizedTest
  @CsvSource({
    "000001ffffffffff, true",
    "000000c000000000, true",
    "0000008000000000, false",
    "0000004000000000, false",
    "0000000000000000, false"
  })
  void bpfTakesBothCapabilities(String effective, boolean allowed) {
    assertThat(RootRights.mayLoadBpf(List.of("Name:\tjava", "CapEff:\t" + effective)))
        .isEqualTo(allowed);
  }

  @ParameterizedTest
  @CsvSource({
    "000001ffffffffff, true",
    "0000000000200000, true",
    "000001ffffdfffff, false",
    "0000000000000000, false"
  })
  void reservationsTakeOneCapability(String effective, boolean allowed) {
    assertThat(RootRights.mayReserve(List.of("Name:\tjava", "CapEff:\t" + effective)))
        .isEqualTo(allowed);
    assertThat(RootRights.mayReserve(List.of("Name:\tjava"))).isFalse();
  }

  @Test
  void whoeverDoesNotAskIsToldWhatToDo() {
    assertThatIOException()
        .isThrownBy(() -> RootRights.missing("mounts need root"))
        .withMessage("mounts need root: run it as root, or by bin/rdio, which uses sudo");
  }
}
