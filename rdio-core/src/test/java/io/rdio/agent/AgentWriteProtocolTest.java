// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.agent.WritingLane.ALLOCATED;
import static io.rdio.agent.WritingLane.COMMITTED;
import static io.rdio.agent.WritingLane.CRC_AT;
import static io.rdio.agent.WritingLane.DATA_AT;
import static io.rdio.agent.WritingLane.MIB;
import static io.rdio.agent.WritingLane.OK;
import static io.rdio.agent.WritingLane.WRITTEN;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a process says that writes, and what is answered; {@link AgentWriteBreachTest} has more. */
@Timeout(180)
class AgentWriteProtocolTest {
  private final TestBlock block =
      new TestBlock(3, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private @TempDir Path directory;
  private AgentFixture agent;
  private WritingLane writer;

  private void start(AgentLimits limits) throws Exception {
    agent = new AgentFixture(block, directory, limits, request -> Long.MAX_VALUE);
    writer = WritingLane.connect(agent.socket);
  }

  private void start() throws Exception {
    start(AgentFixture.LIMITS);
  }

  @AfterEach
  void close() {
    writer.close();
    agent.close();
  }

  @Test
  void blockIsWrittenFromTheSegment() throws Exception {
    start();
    assertThat(writer.allocate(MIB)).isEqualTo(ALLOCATED);
    assertThat(writer.write(0, 8192, false)).isEqualTo(WRITTEN);
    assertThat(writer.write(8192, 1000, true)).isEqualTo(WRITTEN);
    assertThat(writer.commit(9192)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data())
        .startsWith(writer.memory(DATA_AT, 8192))
        .endsWith(writer.memory(DATA_AT, 1000))
        .hasSize(9192);
    assertThat(agent.writes.last().checksums())
        .startsWith(writer.memory(CRC_AT, 64))
        .endsWith(writer.memory(CRC_AT, 8))
        .hasSize(72);
  }

  /** What it writes again behind a WRITE's answer is not what is committed. */
  @Test
  void checksumsAreThoseThatThereWereWithTheWrite() throws Exception {
    start();
    writer.allocate(MIB);
    writer.write(0, 512, true);
    byte[] then = writer.memory(CRC_AT, 4);
    writer.memory.putInt(CRC_AT, ~writer.memory.getInt(CRC_AT));
    assertThat(writer.commit(512)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().checksums()).isEqualTo(then);
  }

  @Test
  void severalWritesMayBeSentAtOnce() throws Exception {
    start();
    writer.allocate(MIB);
    for (int i = 0; i < 8; i++) {
      writer.putWrite(4096L * i, DATA_AT + 4096 * i, 4096, CRC_AT, i == 7);
      writer.lane.tell();
    }
    for (int i = 0; i < 8; i++) {
      assertThat(writer.lane.answer()).isEqualTo(WRITTEN);
    }
    assertThat(writer.commit(8 * 4096)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data()).isEqualTo(writer.memory(DATA_AT, 8 * 4096));
  }

  @Test
  void whatWasSentBehindARefusedWriteIsRefusedToo() throws Exception {
    start();
    agent.writes.failsAt = 4096;
    agent.writes.survivors = 0;
    writer.allocate(MIB);
    for (int i = 0; i < 3; i++) {
      writer.putWrite(4096L * i, DATA_AT, 4096, CRC_AT, i == 2);
      writer.lane.tell();
    }
    assertThat(writer.lane.answer()).isEqualTo(WRITTEN);
    assertThat(writer.lane.answer()).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(agent.writes.last().isClosed()).isTrue();
    assertThat(writer.lane.answer()).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(writer.commit(12_288)).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(writer.abort()).isEqualTo(OK);
    agent.writes.failsAt = Long.MAX_VALUE;
    assertThat(writer.allocate(MIB)).isEqualTo(ALLOCATED);
    assertThat(writer.abort()).isEqualTo(OK);
  }

  @Test
  void abortIsForWhoDoesNotKnowWhetherThereIsABlock() throws Exception {
    start();
    assertThat(writer.abort()).isEqualTo(OK);
    writer.allocate(MIB);
    assertThat(writer.abort()).isEqualTo(OK);
    assertThat(agent.writes.last().isClosed()).isTrue();
    assertThat(writer.abort()).isEqualTo(OK);
  }

  @Test
  void laneThatEndsGivesItsBlockUp() throws Exception {
    start();
    writer.allocate(MIB);
    writer.write(0, 4096, true);
    writer.close();
    await().until(() -> agent.writes.last().isClosed());
    assertThat(agent.writes.last().isCommitted()).isFalse();
    await().until(() -> agent.server().counters().openWrites.get() == 0);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 3, 4096, 0, 8192",
    "2, -2147483648, 4096, 0, 8192",
    "2147483647, 2147483647, 4096, 0, 8192",
    "2, 1, 0, 0, 8192",
    "2, 1, 4097, 0, 8194",
    "2, 1, 1073741824, 0, 2147483648",
    "2, 1, 4096, 3, 8192",
    "2, 1, 4096, -1, 8192",
    "2, 2, 4096, 0, 8192",
    "2, 1, 4096, 0, 8191",
    "2, 1, 4096, 0, 0",
    "2, 1, 4096, 0, 9223372036854771712"
  })
  void groupThatCannotBeIsRefusedAndNothingElse(
      int data, int parity, int cell, int mode, long bytes) throws Exception {
    start();
    assertThat(writer.allocateGroup(data, parity, cell, mode, bytes))
        .startsWith("WRITE_UNSUPPORTED: ");
    assertThat(agent.writes.groups).isEmpty();
    assertThat(writer.allocateGroup(2, 1, 4096, 2, 8192)).isEqualTo(ALLOCATED);
    assertThat(writer.write(0, 8192, true)).isEqualTo(WRITTEN);
    assertThat(writer.commit(8192)).isEqualTo(COMMITTED);
  }

  @Test
  void whoSharesNothingWritesNothing() throws Exception {
    start();
    try (WritingLane other = WritingLane.withoutMemory(agent.socket)) {
      assertThat(other.allocate(MIB)).startsWith("AGENT_UNAVAILABLE: ");
    }
    assertThat(agent.writes.blocks).isEmpty();
  }

  /** Else what was put into the segment could become zeros, and nobody would see it. */
  @Test
  void memoryOfAWriterIsNotTakenBack() throws Exception {
    AgentLimits usual = AgentFixture.LIMITS;
    start(
        new AgentLimits(
            usual.lanesPerProcess(),
            usual.lanes(),
            usual.lanesPerUser(),
            usual.openPerProcess(),
            usual.segmentBytes(),
            usual.segmentBytesPerUser(),
            usual.patience(),
            Duration.ZERO,
            usual.writes()));
    byte[] before = writer.memory(DATA_AT, MIB);
    assertThat(writer.memory.getInt(Protocol.IN_USE_AT)).isZero();
    writer.allocate(MIB);
    letTheAgentLook();
    assertThat(writer.memory(DATA_AT, MIB)).isEqualTo(before);
    writer.write(0, MIB, true);
    assertThat(writer.commit(MIB)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data()).isEqualTo(before);
    await()
        .untilAsserted(
            () -> {
              letTheAgentLook();
              assertThat(writer.memory(DATA_AT, MIB)).as("now it is").containsOnly(0);
            });
  }

  /** Each connection has it look at idle memory first. */
  private void letTheAgentLook() throws IOException {
    for (int i = 0; i < 3; i++) {
      try (RawLane other = RawLane.connect(agent.socket)) {
        other.hello();
      }
    }
  }
}
