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
 *
 * <p>Of a call with many messages each is parsed and served as it comes, and the next one is taken
 * in only then.
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
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    return call.getMethodDescriptor().getType().clientSendsOneMessage()
        ? whole(call, listener)
        : parts(call, listener);
  }

  private static <Q, A> ServerCall.Listener<Q> parts(
      ServerCall<Q, A> call, ServerCall.Listener<Q> listener) {
    return new SimpleForwardingServerCallListener<>(listener) {
      private boolean refused;

      @Override
      public void onMessage(Q message) {
        if (refused) {
          return;
        }
        try {
          super.onMessage(message);
        } catch (StatusRuntimeException e) {
          refused = true;
          refuse(call, "the request is not a message", e);
        }
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }

  private static void refuse(ServerCall<?, ?> call, String text, @Nullable Throwable cause) {
    call.close(Status.INVALID_ARGUMENT.withDescription(text).withCause(cause), new Metadata());
  }

  /** Where parts of commits are taken in, gRPC lets messages through that are larger than these. */
  private static boolean isTooLarge(@Nullable Object message) {
    return message instanceof byte[] bytes && bytes.length > MetadataServerLimits.MESSAGE_BYTES_MAX;
  }

  private static <Q, A> ServerCall.Listener<Q> whole(
      ServerCall<Q, A> call, ServerCall.Listener<Q> listener) {
    return new SimpleForwardingServerCallListener<>(listener) {
      private @Nullable Q request;

      @Override
      public void onMessage(Q message) {
        request = message; // one only: gRPC itself ends a call of ours with a second one
      }

      @Override
      public void onHalfClose() {
        Q complete = request;
        request = null;
        if (isTooLarge(complete)) {
          refuse(
              call,
              "the request has more than " + MetadataServerLimits.MESSAGE_BYTES_MAX + " bytes",
              null);
          return;
        }
        try {
          if (complete != null) {
            super.onMessage(complete);
          }
        } catch (StatusRuntimeException e) {
          refuse(call, "the request is not a message", e);
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
        return stream instanceof KnownLength ? all(stream) : stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Of a stream that says how many bytes it has: a part of a commit is copied once then. */
  static byte[] all(InputStream stream) throws IOException {
    byte[] bytes = new byte[stream.available()];
    int count = stream.readNBytes(bytes, 0, bytes.length);
    if (count < bytes.length || stream.read() >= 0) {
      throw new IOException("a message of other than " + bytes.length + " bytes");
    }
    return bytes;
  }

  private static final class ByteStream extends ByteArrayInputStream implements KnownLength {
    ByteStream(byte[] bytes) {
      super(bytes);
    }
  }
}
