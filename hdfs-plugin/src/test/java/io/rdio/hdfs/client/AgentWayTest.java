// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.AgentFixture;
import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.RawLane;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.AgentWay;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWays;
import io.rdio.hdfs.client.way.FallbackLog;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.log4j.Appender;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An accessor whose host has an agent that can serve one connection. */
class AgentWayTest {
  private static final int LENGTH = 100_001;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final ClientCounters counters = new ClientCounters();
  private @TempDir Path directory;
  private AgentFixture agent;
  private volatile @Nullable FallbackException refusal;

  @BeforeEach
  void start() throws Exception {
    AgentLimits one =
        new AgentLimits(
            8,
            1,
            8,
            8,
            4L << 20,
            4L << 20,
            Duration.ofSeconds(5),
            Duration.ofMinutes(1),
            AgentFixture.WRITES);
    agent = new AgentFixture(block, directory, one, this::right);
  }

  private long right(BlockRequest request) throws FallbackException {
    FallbackException why = refusal;
    if (why != null) {
      throw why;
    }
    return Long.MAX_VALUE;
  }

  @AfterEach
  void stop() {
    agent.close();
  }

  private BlockToRead toRead() {
    return new BlockToRead(block.request, true, LENGTH, dataNodes);
  }

  private RdioReplicaAccessor open() throws FallbackException {
    BlockWays devices = DeviceWays.of(agent.reads.context, Detours.NONE);
    BlockWays ways =
        new BlockWays(
            counters,
            List.of(
                one -> AgentWay.open(agent.client, false, counters, one),
                one -> devices.open(0, one),
                one -> devices.open(1, one)));
    return RdioReplicaAccessor.open(ways, toRead());
  }

  private void read(RdioReplicaAccessor accessor) throws Exception {
    byte[] got = new byte[5000];
    assertThat(accessor.read(1000, got, 0, got.length)).isEqualTo(got.length);
    assertThat(got).isEqualTo(block.range(1000, got.length));
  }

  @Test
  void agentServesWhoComesFirst() throws Exception {
    read(open());
    assertThat(counters.agentBytes.sum()).isEqualTo(5000);
  }

  @Test
  void deviceServesWhoTheAgentTurnsAwayWhichIsCounted() throws Exception {
    StringWriter log = new StringWriter();
    Appender appender = new WriterAppender(new SimpleLayout(), log);
    Logger logger = Logger.getLogger(FallbackLog.class);
    logger.addAppender(appender);
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      read(open());
    } finally {
      logger.removeAppender(appender);
    }
    assertThat(log.toString())
        .contains("not the agent but the next way reads " + block.request.fileName())
        .contains(FallbackReason.AGENT_BUSY.name())
        .doesNotContain("stock HDFS reads");
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(1);
    assertThat(counters.fallbacksToStock(FallbackReason.AGENT_BUSY)).isZero();
    assertThat(counters.agentBytes.sum()).isZero();
    assertThat(agent.reads.counters.rdioBytes.sum()).isEqualTo(5000);
    assertThat(dataNodes.calls).as("of stock HDFS").isEmpty();
  }

  @Test
  void aSubmissionThatIsTurnedAwayIsCountedByTheReadOfItsRangeOnly() throws Exception {
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      assertThatThrownBy(() -> AgentWay.openRanges(agent.client, false, counters, toRead()))
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_BUSY));
      assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isZero();
      read(open());
    }
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(1);
  }

  @Test
  void answersOnceThereIsASession() {
    assertThat(agent.client.answers()).isTrue();
    agent.client.close();
    agent.stop();
    assertThat(agent.client.answers()).isFalse();
  }

  @Test
  void deviceServesWhereTheAgentIsOfAnotherVersion() throws Exception {
    refusal = new FallbackException(FallbackReason.PROTOCOL_MISMATCH, "versions 7 to 9");
    read(open());
    assertThat(counters.fallbacks(FallbackReason.PROTOCOL_MISMATCH)).isEqualTo(1);
    assertThat(counters.agentBytes.sum()).isZero();
    assertThat(agent.reads.counters.rdioBytes.sum()).isEqualTo(5000);
  }

  @Test
  void hostWithoutAnAgentIsNotCounted() throws Exception {
    agent.stop();
    read(open());
    assertThat(counters.fallbacks(FallbackReason.AGENT_UNAVAILABLE)).isZero();
    assertThat(agent.reads.counters.rdioBytes.sum()).isEqualTo(5000);
  }

  @Test
  void whoMayDoNothingElseIsRefused() throws Exception {
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      assertThatThrownBy(() -> AgentWay.open(agent.client, true, counters, toRead()))
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_BUSY));
    }
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).as("by who asks").isZero();
  }
}
