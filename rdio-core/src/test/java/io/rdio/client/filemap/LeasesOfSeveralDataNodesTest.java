// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.grant.MetadataClient;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ChannelFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One DataNode's leases must not suffer from what is wrong with another's. */
final class LeasesOfSeveralDataNodesTest {
  private static final MapListener DEAF =
      new MapListener() {
        @Override
        public void lost(FileMap map) {}

        @Override
        public void ranOut(FileMap map) {}
      };

  private final AtomicLong now = new AtomicLong();

  // Each in turn: one of the two comes first.
  @ParameterizedTest
  @ValueSource(strings = {"tend-a", "tend-b"})
  void anErrorWithOneDataNodesLeasesLeavesTheOthersLookedAfter(String troubled) throws Exception {
    String healthy = troubled.equals("tend-a") ? "tend-b" : "tend-a";
    MapListener listener =
        new MapListener() {
          @Override
          public void lost(FileMap map) {}

          @Override
          public void ranOut(FileMap map) {
            if (map.dataNode().equals(troubled)) {
              throw new StackOverflowError("for the test");
            }
          }
        };
    try (FakeDataNode first = new FakeDataNode(troubled);
        FakeDataNode second = new FakeDataNode(healthy);
        MetadataClient client = client(listener)) {
      client.grant(first.endpoint, List.of(target()));
      client.grant(second.endpoint, List.of(target()));
      now.addAndGet(FileMapCacheFixture.TERM.toNanos());
      assertThatIllegalStateException().isThrownBy(client::tend);
      assertThat(second.returned).hasSize(1);
    }
  }

  /** Each time it wakes it asks all sessions: if it woke for each, that would be their square. */
  @Test
  void clientDoesNotWakeForEachDataNodeByItself() throws Exception {
    int few = wakesInHalfATerm(16);
    assertThat(few).isPositive();
    assertThat(wakesInHalfATerm(64)).isLessThan(2 * few);
  }

  /** Of a client whose leases of the DataNodes were granted, and seen, one after the other. */
  private int wakesInHalfATerm(int count) throws Exception {
    List<FakeDataNode> dataNodes = new ArrayList<>();
    int wakes = 0;
    try (MetadataClient client = client(DEAF)) {
      for (int i = 0; i < count; i++) {
        FakeDataNode dataNode = new FakeDataNode("wake-" + count + "-" + i);
        dataNodes.add(dataNode);
        client.grant(dataNode.endpoint, List.of(target()));
        client.tend(); // as it is for whatever is to be returned: now each has its own moment
        now.addAndGet(FileMapCacheFixture.TERM.toNanos() / 6 / count);
      }
      long end = now.get() + FileMapCacheFixture.TERM.toNanos() / 2;
      while (now.get() < end) {
        now.addAndGet(client.tend());
        wakes++;
      }
      assertThat(client.leasesHeld()).isEqualTo(count);
    } finally {
      dataNodes.forEach(FakeDataNode::close);
    }
    return wakes;
  }

  private MetadataClient client(MapListener listener) {
    ChannelFactory channels =
        new ChannelFactory() {
          @Override
          public ManagedChannel open(String endpoint) {
            return InProcessChannelBuilder.forName(endpoint).directExecutor().build();
          }

          @Override
          public void close() {}
        };
    Duration timeout = Duration.ofSeconds(20);
    return new MetadataClient(
        new MetadataClientSettings("test", timeout, timeout, FileMapCacheFixture.MARGIN),
        channels,
        now::get,
        new ClientCounters(),
        listener);
  }

  private static BlockAsk target() {
    return new BlockAsk(new TokenedBlock(FileMapCacheFixture.key(1)));
  }
}
