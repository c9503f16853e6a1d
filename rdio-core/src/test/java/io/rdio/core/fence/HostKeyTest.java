// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** A host's key is the same wherever it is made, and in each version. */
final class HostKeyTest {
  @Test
  void isThatOfTheName() {
    // By sha256sum, of "rdio reservation of dn1.example.org".
    assertThat(HostKey.text(HostKey.of("dn1.example.org"))).isEqualTo("0x3c3090a83f2fb64");
  }

  @Test
  void namesHaveOneForm() {
    assertThat(HostKey.of(" DN1.example.org.")).isEqualTo(HostKey.of("dn1.example.org"));
    assertThat(HostKey.of("dn2.example.org")).isNotEqualTo(HostKey.of("dn1.example.org"));
  }

  @Test
  void emptyNameIsNone() {
    assertThatIllegalArgumentException().isThrownBy(() -> HostKey.of(" . "));
    assertThatIllegalArgumentException().isThrownBy(() -> HostKey.of(""));
  }
}
