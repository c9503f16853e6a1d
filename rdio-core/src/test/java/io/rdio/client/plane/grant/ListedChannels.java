// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.ManagedChannel;
import io.rdio.core.wire.ChannelFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Channels that a test makes, in the order in which they were opened. */
final class ListedChannels implements ChannelFactory {
  final List<ManagedChannel> opened = new CopyOnWriteArrayList<>();
  private final Function<String, ManagedChannel> maker;

  ListedChannels(Function<String, ManagedChannel> maker) {
    this.maker = maker;
  }

  @Override
  public ManagedChannel open(String endpoint) {
    ManagedChannel channel = maker.apply(endpoint);
    opened.add(channel);
    return channel;
  }

  @Override
  public void close() {
    opened.forEach(ManagedChannel::shutdownNow);
  }
}
