// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.agent.WritingProcesses.MIB;
import static io.rdio.agent.WritingProcesses.assertRefused;
import static io.rdio.agent.WritingProcesses.named;
import static io.rdio.agent.WritingProcesses.target;
import static io.rdio.agent.WritingProcesses.toWrite;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writes by the agent that are refused, by whom and why, and what is left of them: nothing. */
@Timeout(180)
class AgentWriteLimitsTest {
  private final TestBlock block =
      new TestBlock(3, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private @TempDir Path directory;
  private WritingProcesses writing;
  private AgentFixture agent;

  @BeforeEach
  void start() throws Exception {
    writing = new WritingProcesses(block, directory);
    agent = writing.agent;
  }

  @AfterEach
  void close() {
    writing.close();
  }

  @Test
  void targetThatRefusesIsNamedAndNothingIsLeft() throws Exception {
    agent.writes.refusing = 1;
    assertThatThrownBy(() -> agent.client.allocate(toWrite(MIB)))
        .isInstanceOfSatisfying(
            TargetRefusedException.class,
            e -> {
              assertThat(e.target()).isEqualTo(1);
              assertThat(e.reason()).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
              assertThat(e.detail()).isEqualTo("it is full");
            });
    writing.awaitNoWrites();
    assertThat(writing.counters().writesRefused.sum()).isEqualTo(1);
    assertThat(writing.counters().refusals(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(1);
    agent.writes.refusing = -1;
    writing.writeAll(agent.client);
    assertThat(writing.counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void agentThatDoesNotWriteSaysHowToSwitchItOn() throws Exception {
    agent.stop();
    agent.start(null);
    assertThatThrownBy(() -> agent.client.allocate(toWrite(MIB)))
        .hasMessageContaining("WRITE_UNSUPPORTED")
        .hasMessageContaining("set " + Setting.AGENT_WRITE + " to on");
  }

  @Test
  void nobodyWritesWithoutTheRight() {
    agent.writes.noRight = new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "not there");
    assertRefused(FallbackReason.WRITE_UNSUPPORTED, () -> agent.client.allocate(toWrite(MIB)));
    assertThat(agent.writes.blocks).isEmpty();
    assertThat(writing.counters().openWrites).hasValue(0);
  }

  @Test
  void slotThatIsTooSmallIsGivenBack() {
    agent.writes.capacity = MIB - 1;
    assertRefused(FallbackReason.SLOTS_EXHAUSTED, () -> agent.client.allocate(toWrite(MIB)));
    assertThat(agent.writes.last().isClosed()).isTrue();
    writing.awaitNoWrites();
  }

  @Test
  void processWritesSoManyBlocksAndNoMore() throws Exception {
    List<AgentBlockWriter> writers = new ArrayList<>();
    try {
      for (int i = 0; i < AgentFixture.WRITES.perProcess(); i++) {
        writers.add(agent.client.allocate(toWrite(1000)));
      }
      assertRefused(FallbackReason.AGENT_BUSY, () -> agent.client.allocate(toWrite(1000)));
      AgentClient other = agent.anotherProcess();
      while (writers.size() < AgentFixture.WRITES.all()) {
        writers.add(other.allocate(toWrite(1000)));
      }
      assertRefused(FallbackReason.AGENT_BUSY, () -> other.allocate(toWrite(1000)));
      assertThat(agent.server().status())
          .contains("rdio_agent_open_writes 6\n", "rdio_agent_write_checksum_bytes 48\n");
      writers.remove(0).close();
      writers.add(agent.client.allocate(toWrite(1000)));
      other.close();
    } finally {
      writers.forEach(AgentBlockWriter::close);
    }
    writing.awaitNoWrites();
  }

  @Test
  void memoryForChecksumsIsBounded() throws Exception {
    long halfOfIt = AgentFixture.WRITES.checksumBytes() / 2 / Integer.BYTES * 512;
    agent.writes.capacity = 2 * halfOfIt;
    AgentClient client = agent.anotherProcess(4 * MIB); // each has a window
    try (AgentBlockWriter first = client.allocate(toWrite(halfOfIt));
        AgentBlockWriter second = client.allocate(toWrite(halfOfIt))) {
      assertThat(first.room()).isEqualTo(second.room());
      assertThat(writing.counters().checksumBytes).hasValue(AgentFixture.WRITES.checksumBytes());
      assertRefused(FallbackReason.AGENT_BUSY, () -> client.allocate(toWrite(1)));
    } finally {
      client.close();
    }
    writing.awaitNoWrites();
    assertRefused(
        FallbackReason.AGENT_BUSY, () -> agent.client.allocate(toWrite(2 * halfOfIt + 1)));
  }

  @Test
  void whatTheAgentCannotWriteIsNotAskedFor() {
    assertRefused(
        FallbackReason.CHECKSUM_UNSUPPORTED,
        () -> agent.client.allocate(toWrite(MIB, ChecksumSpec.Type.NULL, 512)));
    assertRefused(
        FallbackReason.CHECKSUM_UNSUPPORTED,
        () -> agent.client.allocate(toWrite(MIB, ChecksumSpec.Type.CRC32, 0)));
    assertRefused(FallbackReason.WRITE_UNSUPPORTED, () -> agent.client.allocate(toWrite(0)));
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED, () -> agent.client.allocate(named("/f", List.of())));
    List<WriteTarget> many = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      many.add(target(i, ""));
    }
    assertRefused(FallbackReason.WRITE_UNSUPPORTED, () -> agent.client.allocate(named("/f", many)));
    String longest = "/" + "x".repeat(11_999);
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED,
        () ->
            agent.client.allocate(
                named(longest, List.of(target(1, "a".repeat(3000)), target(2, "b".repeat(3000))))));
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED,
        () -> agent.client.allocate(named("/f", List.of(target(1, "a".repeat(3001))))));
    assertThat(agent.writes.blocks).isEmpty();
    assertThat(writing.counters().malformed.sum()).isZero();
  }

  @Test
  void whatDataNodesRefuseIsNotAskedFor() throws Exception {
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED, () -> agent.client.allocate(toWrite((1L << 30) + 1)));
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED,
        () -> agent.client.allocate(toWrite(MIB, ChecksumSpec.Type.CRC32, 100)));
    WriteTarget strange = new WriteTarget("dn", 9866, 9864, "no such id", new byte[0]);
    assertRefused(
        FallbackReason.WRITE_UNSUPPORTED,
        () -> agent.client.allocate(named("/f", List.of(strange))));
    assertThat(agent.writes.blocks).isEmpty();
    assertThat(writing.counters().failures.sum()).isZero();
    String longest = "/" + "x".repeat(11_999);
    agent.client.allocate(named(longest, List.of(target(1, "a".repeat(3000))))).close();
  }
}
