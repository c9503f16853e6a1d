// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.rdio.core.Setting;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets administrators list the leases: whoever is on the DataNode's own host, and the addresses
 * that the configuration names. It keeps from others who reads which blocks, and spares the
 * DataNode the work; nothing can be done to a lease with what the list tells. An address is all
 * that is known of a caller: tokens speak for a block's readers, certificates for hosts.
 */
final class ServerListLeasesCheck implements ServerInterceptor {
  private static final String LIST = MetadataPlaneGrpc.getListLeasesMethod().getFullMethodName();

  private final Predicate<InetAddress> others;

  /**
   * @param others addresses of other hosts that may list leases
   */
  ServerListLeasesCheck(Predicate<InetAddress> others) {
    this.others = others;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (!call.getMethodDescriptor().getFullMethodName().equals(LIST)
        || allows(
            address(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
            address(call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR)))) {
      return next.startCall(call, headers);
    }
    call.close(
        Status.PERMISSION_DENIED.withDescription(
            ClientAddress.of(call.getAttributes())
                + " may not list leases: do it on the DataNode's own host, or name the address in "
                + Setting.LIST_LEASES_FROM),
        new Metadata());
    return new ServerCall.Listener<>() {};
  }

  /** A connection of which both ends have the same address does not leave the host. */
  private boolean allows(@Nullable InetAddress remote, @Nullable InetAddress local) {
    return remote != null
        && (remote.isLoopbackAddress() || remote.equals(local) || others.test(remote));
  }

  private static @Nullable InetAddress address(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress internet ? internet.getAddress() : null;
  }
}
