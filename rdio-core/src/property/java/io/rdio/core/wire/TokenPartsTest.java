// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Allocation;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Tokens as bytes; that Hadoop writes them so is for a test beside Hadoop. */
final class TokenPartsTest {
  @Property
  void whatIsWrittenIsRead(
      @ForAll @IntRange(max = 70_000) int identifier,
      @ForAll @IntRange(min = 1, max = 300) int password)
      throws Exception {
    byte[] secret = new byte[password];
    Arrays.fill(secret, (byte) 7);
    TokenParts parts = new TokenParts(ByteString.copyFrom(new byte[identifier]), secret);

    TokenParts read = TokenParts.of(parts.toToken());

    assertThat(read.identifier()).isEqualTo(parts.identifier());
    assertThat(read.password()).isEqualTo(secret);
  }

  @Property
  void anyBytesAreATokenOrRefusedAtLittleCost(@ForAll @Size(max = 40) byte[] bytes) {
    long allocated =
        Allocation.of(
            () -> {
              try {
                assertThat(TokenParts.of(bytes).password()).isNotEmpty();
              } catch (FallbackException e) {
                assertThat(e.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
              }
            });
    assertThat(allocated).isLessThan(1 << 20);
  }

  @Property
  void tokenCutAnywhereInItsPasswordIsRefused(@ForAll @IntRange(max = 12) int length) {
    byte[] whole = {5, 't', 'o', 'k', 'e', 'n', 6, 's', 'e', 'c', 'r', 'e', 't', 0, 0};

    assertThat(
            catchThrowableOfType(
                    FallbackException.class, () -> TokenParts.of(Arrays.copyOf(whole, length)))
                .reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
  }
}
