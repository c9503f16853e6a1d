// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The address that a client's connection comes from, without the port. */
final class ClientAddress {
  private static final Context.Key<String> CURRENT = Context.key("rdio.client.address");
  private static final String UNKNOWN = "unknown address";

  private ClientAddress() {}

  /** Of the call that this thread serves. */
  static String current() {
    String address = CURRENT.get();
    return address == null ? UNKNOWN : address;
  }

  static Context contextWith(String address) {
    return Context.current().withValue(CURRENT, address);
  }

  static String of(Attributes attributes) {
    return of(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  static String of(@Nullable SocketAddress remote) {
    if (remote instanceof InetSocketAddress internet && internet.getAddress() != null) {
      return internet.getAddress().getHostAddress();
    }
    return remote == null ? UNKNOWN : remote.toString();
  }
}
