// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;

/** Changes the bytes of everything that a service answers. */
final class GarbledReplies implements ServerInterceptor {
  private final UnaryOperator<byte[]> garble;

  private GarbledReplies(UnaryOperator<byte[]> garble) {
    this.garble = garble;
  }

  static ServerServiceDefinition of(BindableService service, UnaryOperator<byte[]> garble) {
    // Interceptors that are given later see messages as the marshaller makes them.
    return ServerInterceptors.intercept(
        ServerInterceptors.useMarshalledMessages(service.bindService(), new Bytes()),
        new GarbledReplies(garble));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return next.startCall(
        new SimpleForwardingServerCall<>(call) {
          @Override
          @SuppressWarnings("unchecked")
          public void sendMessage(A message) {
            super.sendMessage((A) garble.apply((byte[]) message));
          }
        },
        headers);
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
