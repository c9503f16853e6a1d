// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.stock.StockBlockSource;
import io.rdio.hdfs.client.stock.StockReplicaReader;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWays;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/** Stock HDFS behind a way that fails in the middle of a block, as an agent does that dies. */
class LaterStockBlocksTest {
  private static final int LENGTH = 10_000;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final BlockRequest request = block.request;
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final AtomicInteger made = new AtomicInteger();
  private final LaterStockBlocks later =
      new LaterStockBlocks(
          () -> {
            made.incrementAndGet();
            return dataNodes;
          });

  /** As they are asked for in an accessor, but that no real DataNode sends the bytes. */
  private StockBlockSource byFakes() {
    return new StockBlockSource() {
      @Override
      public DFSClient client() throws IOException {
        return later.client();
      }

      @Override
      public Configuration configuration() {
        return later.configuration();
      }

      @Override
      public LocatedBlock locate(BlockRequest asked, boolean fresh) throws IOException {
        return later.locate(asked, fresh);
      }

      @Override
      public StockReplicaReader.Opener opener(String fileName, boolean verifyChecksum) {
        return dataNodes;
      }
    };
  }

  private static void read(RdioReplicaAccessor accessor, byte[] to, int from, int end)
      throws IOException {
    assertThat(accessor.read(from, to, from, end - from)).isEqualTo(end - from);
  }

  @Test
  void nothingIsMadeWhileTheAgentServesAndOnceWhenItDies() throws Exception {
    FakeWay agent = new FakeWay(block.bytes);
    ClientCounters counters = new ClientCounters();
    RdioReplicaAccessor accessor =
        RdioReplicaAccessor.open(
            new BlockWays(counters, List.of(agent)),
            new BlockToRead(request, true, LENGTH, byFakes()));
    byte[] got = new byte[LENGTH];
    read(accessor, got, 0, 4000);
    assertThat(made).hasValue(0);
    agent.inRead =
        () -> {
          throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, "it died");
        };
    dataNodes.onOpen =
        (replica, offset) -> {
          if (replica == 0) {
            throw new IOException("it died, too");
          }
        };
    read(accessor, got, 4000, 7000);
    read(accessor, got, 7000, LENGTH);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(made).hasValue(1);
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(counters.fallbacks(FallbackReason.AGENT_UNAVAILABLE)).isEqualTo(1);
    assertThat(counters.stockBytes.sum()).isEqualTo(LENGTH - 4000);
    accessor.close();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void whatCannotBeMadeIsAFailureOfTheReadAndTriedAgain() throws Exception {
    LaterStockBlocks none =
        new LaterStockBlocks(
            () -> {
              made.incrementAndGet();
              throw new FallbackException(FallbackReason.ACCESSOR_CLOSED, "its client is closed");
            });
    assertThatThrownBy(() -> none.locate(request, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its client is closed");
    assertThatThrownBy(none::client).isInstanceOf(IOException.class);
    assertThatThrownBy(none::configuration).isInstanceOf(UncheckedIOException.class);
    assertThat(made).hasValue(3);
  }
}
