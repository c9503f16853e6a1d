// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.RetryAfter;
import org.junit.jupiter.api.Test;

final class PlaneErrorsTest {
  private static FallbackReason reason(Throwable error) {
    return PlaneErrors.of("datanode:9860", "grant", error).reason();
  }

  @Test
  void callOfAnInterruptedThreadWasInterrupted() {
    Status cancelled = Status.CANCELLED.withCause(new InterruptedException());

    assertThat(reason(cancelled.asRuntimeException())).isEqualTo(FallbackReason.INTERRUPTED);
  }

  @Test
  void callThatTheOtherEndCancelledIsAnError() {
    assertThat(reason(Status.CANCELLED.asRuntimeException()))
        .isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
  }

  @Test
  void onlyWhoSaysWhenToComeAgainIsBusy() {
    assertThat(reason(Status.RESOURCE_EXHAUSTED.asRuntimeException(RetryAfter.trailers(5))))
        .isEqualTo(FallbackReason.DATANODE_BUSY);
    assertThat(reason(Status.RESOURCE_EXHAUSTED.asRuntimeException()))
        .isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
  }
}
