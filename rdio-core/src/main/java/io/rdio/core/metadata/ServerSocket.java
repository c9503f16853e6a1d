// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The listening socket. Closes connections of an address that has its share at once, before
 * anything is allocated or read for them. For Netty's thread.
 */
final class ServerSocket extends NioServerSocketChannel {
  private final AddressShares connections;
  private final LongAdder refused;

  /**
   * @param refused counts connections that were closed
   */
  ServerSocket(AddressShares connections, LongAdder refused) {
    this.connections = connections;
    this.refused = refused;
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
      } else {
        refused.increment();
        accepted.remove(i);
        connection.unsafe().closeForcibly();
      }
    }
    return read;
  }
}
