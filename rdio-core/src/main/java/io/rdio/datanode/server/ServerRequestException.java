// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Status;
import java.io.Serial;

/** A request that no well-made client sends; answered with a status and a text, never a trace. */
final class ServerRequestException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final transient Status status;

  ServerRequestException(Status status) {
    super(status.getDescription(), null, false, false);
    this.status = status;
  }

  static ServerRequestException invalid(String text) {
    return new ServerRequestException(Status.INVALID_ARGUMENT.withDescription(text));
  }

  Status status() {
    return status;
  }
}
