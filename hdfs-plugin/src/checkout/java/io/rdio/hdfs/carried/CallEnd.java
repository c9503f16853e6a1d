// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.Metadata;
import io.grpc.Status;
import io.rdio.core.wire.RetryAfter;
import java.util.concurrent.TimeUnit;

/**
 * How a call ended.
 *
 * @param code as gRPC has it, {@code OK} say
 * @param retryAfterMillis when the DataNode wants to be asked again; negative if it does not say
 */
public record CallEnd(String code, String text, long retryAfterMillis) {
  private static final CallEnd OK = new CallEnd(Status.Code.OK.name(), "", -1);

  /** A failure about which nothing else is said. */
  public static CallEnd failed(String code, String text) {
    return new CallEnd(code, text, -1);
  }

  static CallEnd of(Status status, Metadata trailers) {
    if (status.isOk()) {
      return OK;
    }
    Throwable failure = status.asRuntimeException(trailers);
    long retryAfter =
        RetryAfter.isSaidBy(failure)
            ? TimeUnit.NANOSECONDS.toMillis(RetryAfter.nanos(failure))
            : -1;
    return new CallEnd(
        status.getCode().name(), String.valueOf(status.getDescription()), retryAfter);
  }

  /** Whether it was answered in full. */
  public boolean isOk() {
    return code.equals(Status.Code.OK.name());
  }

  Status status() {
    Status status = Status.Code.valueOf(code).toStatus();
    return isOk() ? status : status.withDescription(text);
  }

  Metadata trailers() {
    return retryAfterMillis < 0 ? new Metadata() : RetryAfter.trailers(retryAfterMillis);
  }
}
