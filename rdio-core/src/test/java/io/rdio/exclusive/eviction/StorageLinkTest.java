// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.wire.NettyChannelFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The way to an agent behind a socket, on a clock that stands. */
class StorageLinkTest {
  private final EvictionCounters counters = new EvictionCounters();

  private static Server agent(int port) throws IOException {
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .addService(new RecordingStorage(RecordingStorage.device(3).build()))
        .build()
        .start();
  }

  private void awaitBroken(StorageLink link, long broken) {
    await()
        .until(
            () -> {
              link.tick();
              return counters.brokenStreams.sum() == broken;
            });
  }

  /** Else nothing would be traced, and so nothing kept for it, until it is back. */
  @Test
  void devicesOfAnAgentThatEndsAtOnceAreToldAllTheSame() throws Exception {
    Server brief = agent(0);
    String endpoint = "127.0.0.1:" + brief.getPort();
    NettyChannelFactory channels = new NettyChannelFactory();
    StorageLink link =
        new StorageLink(channels.open(endpoint), endpoint, new ManualClock(), counters);
    try {
      await()
          .until(
              () -> {
                link.tick();
                return counters.streams.sum() == 1;
              });
      brief.shutdownNow().awaitTermination();
      awaitBroken(link, 1);

      assertThat(link.newDevices()).hasSize(1);
      assertThat(link.newDevices()).isNull();
    } finally {
      link.close();
      channels.close();
      brief.shutdownNow();
    }
  }

  @Test
  void agentThatIsBackIsFoundWhenItIsNextAskedNotTheTimeAfter() throws Exception {
    Server gone = agent(0);
    int port = gone.getPort();
    gone.shutdownNow().awaitTermination();
    ManualClock clock = new ManualClock();
    String endpoint = "127.0.0.1:" + port;
    NettyChannelFactory channels = new NettyChannelFactory();
    StorageLink link = new StorageLink(channels.open(endpoint), endpoint, clock, counters);
    Server back = null;
    try {
      awaitBroken(link, 1);
      back = agent(port);
      clock.advance(Duration.ofSeconds(20));

      await()
          .until(
              () -> {
                link.tick();
                return link.newDevices() != null || counters.brokenStreams.sum() > 1;
              });

      assertThat(counters.brokenStreams.sum()).isEqualTo(1);
    } finally {
      link.close();
      channels.close();
      if (back != null) {
        back.shutdownNow();
      }
    }
  }
}
