// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.rdio.core.Setting;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServerListLeasesCheckTest {
  private static final String DATANODE = "10.0.0.1";

  /** A call from an address, and how it was closed. */
  private static final class Call extends ServerCall<byte[], byte[]> {
    private final MethodDescriptor<?, ?> method;
    private final String from;
    private @Nullable Status closed;

    Call(MethodDescriptor<?, ?> method, String from) {
      this.method = method;
      this.from = from;
    }

    @Override
    public Attributes getAttributes() {
      try {
        return Attributes.newBuilder()
            .set(
                Grpc.TRANSPORT_ATTR_REMOTE_ADDR,
                new InetSocketAddress(InetAddress.getByName(from), 40_000))
            .set(
                Grpc.TRANSPORT_ATTR_LOCAL_ADDR,
                new InetSocketAddress(InetAddress.getByName(DATANODE), 9860))
            .build();
      } catch (java.net.UnknownHostException e) {
        throw new IllegalArgumentException(from, e);
      }
    }

    @Override
    public MethodDescriptor<byte[], byte[]> getMethodDescriptor() {
      return RawBytes.method(method, MethodDescriptor.MethodType.UNARY);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      closed = status;
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(byte[] message) {}

    @Override
    public boolean isCancelled() {
      return false;
    }
  }

  private static boolean passes(Call call, String allowed) {
    AtomicBoolean started = new AtomicBoolean();
    new ServerListLeasesCheck(address -> address.getHostAddress().equals(allowed))
        .interceptCall(
            call,
            new Metadata(),
            (passed, headers) -> {
              started.set(true);
              return new ServerCall.Listener<>() {};
            });
    return started.get();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.3.2.1, true",
    "::1, true",
    DATANODE + ", true",
    "10.0.0.2, false",
    "10.0.0.7, true"
  })
  void theOwnHostAndThoseNamedMayList(String from, boolean may) {
    Call call = new Call(MetadataPlaneGrpc.getListLeasesMethod(), from);

    assertThat(passes(call, "10.0.0.7")).isEqualTo(may);
    assertThat(call.closed == null).isEqualTo(may);
    if (!may) {
      assertThat(call.closed.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(call.closed.getDescription()).contains(from, Setting.LIST_LEASES_FROM.toString());
    }
  }

  @Test
  void otherCallsAreForAll() {
    assertThat(passes(new Call(MetadataPlaneGrpc.getGrantMethod(), "10.0.0.2"), "none")).isTrue();
  }
}
