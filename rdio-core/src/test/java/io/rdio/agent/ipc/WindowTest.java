// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where an agent may say that it put what was asked for. */
class WindowTest {
  private static final int LENGTH = 512;

  private final Window window = new Window(1);

  WindowTest() {
    window.set(0, LENGTH);
  }

  @Test
  void bytesMayLieAnywhereInTheirPlace() throws Exception {
    int last = window.crcPlaceAt() - LENGTH;
    window.take(last, window.crcPlaceAt());
    assertThat(window.dataAt()).isEqualTo(last);
    assertThat(window.crcAt()).isEqualTo(window.crcPlaceAt());
  }

  @Test
  void bytesMayLieAtTheVeryBeginningOfTheirPlace() throws Exception {
    window.take(window.placeAt(), window.crcPlaceAt());
    assertThat(window.dataAt()).isEqualTo(window.placeAt());
  }

  private void assertRefused(int data, int crcs) {
    assertThatThrownBy(() -> window.take(data, crcs)).isInstanceOf(MalformedMessageException.class);
  }

  @Test
  void oneByteBesideThePlaceIsRefused() {
    assertRefused(window.placeAt() - 1, window.crcPlaceAt());
    assertRefused(window.crcPlaceAt() - LENGTH + 1, window.crcPlaceAt());
    assertRefused(window.placeAt(), window.crcPlaceAt() - 1);
    assertRefused(window.placeAt(), window.crcPlaceAt() + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4096, 1 << 20, Integer.MAX_VALUE})
  void bytesElsewhereAreRefused(int data) {
    assertRefused(data, window.crcPlaceAt());
  }

  /** An agent that named CRCs far behind the segment had the client read there. */
  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4096, 1 << 20, Integer.MAX_VALUE})
  void crcsElsewhereAreRefused(int crcs) {
    assertRefused(window.placeAt(), crcs);
  }
}
