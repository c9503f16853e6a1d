// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.core.testing.Patience.await;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.NettyChannelFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Channels as a client opens them, and whether they are connected. */
final class WatchedChannels implements ChannelFactory {
  private final ChannelFactory factory = new NettyChannelFactory();
  private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();

  @Override
  public ManagedChannel open(String endpoint) {
    ManagedChannel channel = factory.open(endpoint);
    channels.add(channel);
    return channel;
  }

  /** Waits until all know that their server went away: else a call may still be sent to it. */
  void awaitDisconnected() {
    await()
        .until(
            () ->
                channels.stream()
                    .noneMatch(channel -> channel.getState(false) == ConnectivityState.READY));
  }

  @Override
  public void close() {
    factory.close();
  }
}
