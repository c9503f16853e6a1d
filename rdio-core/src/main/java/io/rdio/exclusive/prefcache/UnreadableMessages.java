// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Answers bytes that are no message with INVALID_ARGUMENT. gRPC by itself calls them an application
 * error of unknown kind and logs a trace for each, with which a stranger could fill the log.
 */
final class UnreadableMessages implements ServerInterceptor {
  private final Runnable refused;

  private UnreadableMessages(Runnable refused) {
    this.refused = refused;
  }

  /**
   * The service, with its requests parsed where this sees them.
   *
   * @param refused called for each message that cannot be read
   */
  static ServerServiceDefinition guard(BindableService service, Runnable refused) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useMarshalledMessages(service.bindService(), new Bytes()),
        new UnreadableMessages(refused));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private boolean closed;

      @Override
      public void onMessage(Q message) {
        try {
          if (!closed) {
            super.onMessage(message);
          }
        } catch (StatusRuntimeException e) {
          closed = true;
          refused.run();
          super.onCancel();
          call.close(
              Status.INVALID_ARGUMENT.withDescription("not a message of prefcache.proto"),
              new Metadata());
        }
      }

      @Override
      public void onHalfClose() {
        if (!closed) {
          super.onHalfClose();
        }
      }

      @Override
      public void onCancel() {
        if (!closed) {
          super.onCancel();
        }
      }
    };
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
