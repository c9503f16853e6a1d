// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.Status;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.RetryAfter;
import io.rdio.core.wire.TlsErrors;
import org.jspecify.annotations.Nullable;

/** What a failed gRPC call means for a reader. */
final class PlaneErrors {
  private PlaneErrors() {}

  static FallbackException of(String endpoint, String call, Throwable error) {
    Status status = Status.fromThrowable(error);
    return new FallbackException(
        reason(status, error), call + " to " + endpoint + ": " + text(status, error), error);
  }

  /** What a failed call of the write plane means for a writer. */
  static FallbackException ofWrite(String endpoint, String call, Throwable error) {
    return Status.fromThrowable(error).getCode() == Status.Code.UNIMPLEMENTED
        ? new FallbackException(
            FallbackReason.WRITE_UNSUPPORTED, endpoint + " takes no writes past it", error)
        : of(endpoint, call, error);
  }

  /** An answer that makes no sense. */
  static FallbackException garbage(String endpoint, String what) {
    return new FallbackException(
        FallbackReason.METADATA_PLANE_ERROR, "answer of " + endpoint + ": " + what);
  }

  /** An answer that whoever gave it could not prove. */
  static FallbackException unauthentic(String endpoint, String what) {
    return new FallbackException(
        FallbackReason.METADATA_PLANE_UNAUTHENTIC,
        endpoint + " answered with " + what + " and without the block token's proof");
  }

  static FallbackException closed(String endpoint) {
    return new FallbackException(
        FallbackReason.INTERRUPTED, endpoint + " is not asked: the client is closed");
  }

  private static FallbackReason reason(Status status, Throwable error) {
    return switch (status.getCode()) {
      // A DataNode that is busy says when to come again. gRPC says the same of a message that is
      // too large, which it will be the next time too, and of a connection that was abused.
      case RESOURCE_EXHAUSTED ->
          RetryAfter.isSaidBy(error)
              ? FallbackReason.DATANODE_BUSY
              : FallbackReason.METADATA_PLANE_ERROR;
      case UNAVAILABLE -> whyUnavailable(status);
      case DEADLINE_EXCEEDED -> FallbackReason.METADATA_PLANE_UNREACHABLE;
      // With this cause only where this thread was interrupted. The other end may cancel a call,
      // and gRPC itself where it cannot parse an answer.
      case CANCELLED ->
          status.getCause() instanceof InterruptedException
              ? FallbackReason.INTERRUPTED
              : FallbackReason.METADATA_PLANE_ERROR;
      default -> FallbackReason.METADATA_PLANE_ERROR;
    };
  }

  /** A port that cannot be reached, or one with which TLS does not come about. */
  private static FallbackReason whyUnavailable(Status status) {
    String description = String.valueOf(status.getDescription());
    if (description.contains(TlsErrors.INADEQUATE_SECURITY)) {
      return FallbackReason.TLS_REQUIRED;
    }
    boolean handshake =
        description.contains("TLS negotiation")
            || description.contains("ALPN")
            || (status.getCause() != null && TlsErrors.isTls(status.getCause()));
    return handshake ? FallbackReason.TLS_FAILED : FallbackReason.METADATA_PLANE_UNREACHABLE;
  }

  /** Whether a reason is one of those: the connection is of no use any more. */
  static boolean isOfConnection(FallbackReason reason) {
    return reason == FallbackReason.METADATA_PLANE_UNREACHABLE
        || reason == FallbackReason.TLS_FAILED
        || reason == FallbackReason.TLS_REQUIRED;
  }

  private static String text(Status status, Throwable error) {
    @Nullable Throwable cause = status.getCause();
    if (cause != null && reason(status, error) == FallbackReason.TLS_FAILED) {
      return TlsErrors.text(cause);
    }
    return status.getCode()
        + (status.getDescription() == null ? "" : " " + status.getDescription())
        + (cause == null ? "" : " (" + cause.getMessage() + ")");
  }
}
