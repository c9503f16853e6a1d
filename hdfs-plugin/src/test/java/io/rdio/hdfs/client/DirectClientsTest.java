// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DirectClientsTest {
  @Test
  void thisJvmHasOne() throws Exception {
    assertThat(DirectClients.get()).isSameAs(DirectClients.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "21", "25"})
  void jvmThatIsNewEnough(String version) throws Exception {
    DirectClients.requireJava(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.8", "11", "16", "", "strange"})
  void olderJvmIsRefused(String version) {
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> DirectClients.requireJava(version));
    assertThat(refused.reason()).isEqualTo(FallbackReason.JVM_TOO_OLD);
    assertThat(refused.detail()).isEqualTo("this is Java " + version + ", 17 is needed");
  }
}
