// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** System tools. */
class ShellTest {
  @Test
  void whatItWroteComesWithoutWhiteSpaceAtTheEnds() throws IOException {
    assertThat(Shell.run("sh", "-c", "echo; echo one; echo two >&2; echo")).isEqualTo("one\ntwo");
  }

  @Test
  void commandThatFailsIsToldWithWhatItWrote() {
    assertThatThrownBy(() -> Shell.run("sh", "-c", "echo why >&2; exit 3"))
        .isInstanceOf(IOException.class)
        .hasMessage("sh -c echo why >&2; exit 3 failed with 3: why");
  }
}
