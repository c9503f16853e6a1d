// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.KnownLength;
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
import org.jspecify.annotations.Nullable;

/**
 * Keeps a request in its bytes until all of the call is there, then parses and serves it at once.
 *
 * <p>A parsed message takes up to fifty times its bytes (two bytes make an empty BlockRequest), and
 * gRPC by itself parses what comes and keeps it for as long as the client likes to leave the call
 * open. It also calls bytes that are no message an application error of unknown kind, and logs a
 * trace for each, with which a stranger could fill the DataNode's log: they are answered with
 * INVALID_ARGUMENT.
 */
final class ServerGarbageCheck implements ServerInterceptor {
  private ServerGarbageCheck() {}

  /** The service, with its requests parsed where this check sees them. */
  static ServerServiceDefinition guard(BindableService service) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useMarshalledMessages(service.bindService(), new Bytes()),
        new ServerGarbageCheck());
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private @Nullable Q request;

      @Override
      public void onMessage(Q message) {
        request = message; // one only: gRPC itself ends a call of ours with a second one
      }

      @Override
      public void onHalfClose() {
        Q complete = request;
        request = null;
        try {
          if (complete != null) {
            super.onMessage(complete);
          }
        } catch (StatusRuntimeException e) {
          call.close(
              Status.INVALID_ARGUMENT.withDescription("the request is not a message").withCause(e),
              new Metadata());
          return;
        }
        super.onHalfClose();
      }
    };
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteStream(bytes);
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

  private static final class ByteStream extends ByteArrayInputStream implements KnownLength {
    ByteStream(byte[] bytes) {
      super(bytes);
    }
  }
}
