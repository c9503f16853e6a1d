// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RetryAfterTest {
  private static Throwable refusal(Metadata trailers) {
    return Status.RESOURCE_EXHAUSTED.asRuntimeException(trailers);
  }

  @ParameterizedTest
  @CsvSource({"250, 250", "0, 0", "-5, 0", "30001, 30000", "soon, 0", "'', 0", "1e3, 0"})
  void whatIsSaidIsBelievedWithinReason(String said, long millis) {
    Metadata trailers = new Metadata();
    trailers.put(Metadata.Key.of("rdio-retry-after-ms", Metadata.ASCII_STRING_MARSHALLER), said);

    assertThat(RetryAfter.nanos(refusal(trailers)))
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void nothingSaidIsNoWait() {
    assertThat(RetryAfter.nanos(refusal(new Metadata()))).isZero();
    assertThat(RetryAfter.nanos(new IllegalStateException())).isZero();
    assertThat(RetryAfter.nanos(null)).isZero();
  }

  @Test
  void whoeverSaysItFirstIsRight() {
    Metadata trailers = RetryAfter.trailers(250);
    RetryAfter.add(trailers, 1_000);

    assertThat(RetryAfter.nanos(refusal(trailers))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(250));
  }
}
