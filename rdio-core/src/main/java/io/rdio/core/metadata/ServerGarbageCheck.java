// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/**
 * Answers bytes that are no message with INVALID_ARGUMENT. gRPC by itself parses before any code of
 * ours runs, calls such bytes an application error of unknown kind, and logs a trace for each, with
 * which a stranger could fill the DataNode's log.
 */
final class ServerGarbageCheck implements ServerInterceptor {
  private ServerGarbageCheck() {}

  /** The service, with its requests parsed where this check sees them. */
  static ServerServiceDefinition guard(BindableService service) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useInputStreamMessages(service.bindService()), new ServerGarbageCheck());
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private boolean garbage;

      @Override
      public void onMessage(Q message) {
        try {
          super.onMessage(message);
        } catch (StatusRuntimeException e) {
          garbage = true;
          call.close(
              Status.INVALID_ARGUMENT.withDescription("the request is not a message").withCause(e),
              new Metadata());
        }
      }

      @Override
      public void onHalfClose() {
        if (!garbage) {
          super.onHalfClose();
        }
      }
    };
  }
}
