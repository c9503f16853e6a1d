// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The listening socket. Closes connections of an address that has its share at once, before
 * anything is allocated or read for them. For Netty's thread.
 */
final class ServerSocket extends NioServerSocketChannel {
  private final AddressShares connections;
  private final LongAdder refused;
  private final Supplier<ChannelHandler> first;

  /**
   * @param refused counts connections that were closed
   * @param first makes what sees each connection's bytes before all others
   */
  ServerSocket(AddressShares connections, LongAdder refused, Supplier<ChannelHandler> first) {
    this.connections = connections;
    this.refused = refused;
    this.first = first;
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    int before = accepted.size();
    int read = super.doReadMessages(accepted);
    for (int i = accepted.size() - 1; i >= before; i--) {
      Channel connection = (Channel) accepted.get(i);
      String address = ClientAddress.of(connection.remoteAddress());
      if (connections.take(address)) {
        connection.closeFuture().addListener(closed -> connections.giveBack(address));
        connection.pipeline().addFirst(first.get());
      } else {
        refused.increment();
        accepted.remove(i);
        connection.unsafe().closeForcibly();
      }
    }
    return read;
  }
}
