// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AgentKeyTest {
  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1, 4095, 4096, 1L << 47, 1L << 48, Long.MIN_VALUE, 123456789012L})
  void keysOfAProcessAreItsOwn(long random) {
    long name = AgentKey.name(random);
    long first = AgentKey.next(name);
    long second = AgentKey.next(first);

    assertThat(first).isNotEqualTo(second);
    for (long key : new long[] {first, second}) {
      assertThat(AgentKey.isAgents(key)).isTrue();
      assertThat(AgentKey.isOf(key, name)).isTrue();
      assertThat(AgentKey.isOf(key, AgentKey.name(random ^ 4096))).isFalse();
    }
  }

  @Test
  void nameIsNoKey() {
    long name = AgentKey.name(77);
    assertThat(AgentKey.isAgents(name)).isFalse();
    assertThat(AgentKey.isOf(name, name)).isFalse();
  }

  /** A hostile agent may say what it likes of its name. */
  @Test
  void whatIsNoNameHasNoKeys() {
    long key = AgentKey.next(AgentKey.name(77));
    assertThat(AgentKey.isOf(key, key)).isFalse();
    assertThat(AgentKey.isOf(key, 0)).isFalse();
    long foreign = HostKey.of("dn1");
    assertThat(AgentKey.isOf(foreign, foreign)).isFalse();
    assertThat(AgentKey.isOf(foreign, foreign & ~4095L)).isFalse();
  }

  @Test
  void lastKeyHasNoneBehindIt() {
    long key = AgentKey.name(5);
    for (int i = 0; i < 4095; i++) {
      key = AgentKey.next(key);
      assertThat(key).isNotZero();
    }
    assertThat(AgentKey.next(key)).isZero();
  }

  @Test
  void showsWhoseItIs() {
    assertThat(HostKey.text(AgentKey.next(AgentKey.name(0)))).isEqualTo("0x5244000000000001");
  }
}
