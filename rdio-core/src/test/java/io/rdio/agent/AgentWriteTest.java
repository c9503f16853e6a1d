// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.agent.WritingProcesses.MIB;
import static io.rdio.agent.WritingProcesses.assertRefused;
import static io.rdio.agent.WritingProcesses.toWrite;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.Protocol;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What processes write by the agent, and what becomes of it when something fails. */
@Timeout(180)
class AgentWriteTest {
  private static final Pattern SEGMENT =
      Pattern.compile("([0-9a-f]+)-([0-9a-f]+) .*memfd:rdio-segment.*");

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

  private static byte[] crcs(byte[] bytes, ChecksumSpec.Type type, int chunk) {
    ByteBuffer crcs = ByteBuffer.allocate((bytes.length + chunk - 1) / chunk * Integer.BYTES);
    for (int at = 0; at < bytes.length; at += chunk) {
      Checksum checksum = type == ChecksumSpec.Type.CRC32C ? new CRC32C() : new CRC32();
      checksum.update(bytes, at, Math.min(chunk, bytes.length - at));
      crcs.putInt((int) checksum.getValue());
    }
    return crcs.array();
  }

  /** In pieces of any lengths, some of them short. */
  private void write(AgentBlockWriter writer, byte[] bytes) throws FallbackException {
    for (int at = 0; at < bytes.length; ) {
      int most = writing.random.nextBoolean() ? 1000 : 300_000;
      int count = Math.min(bytes.length - at, writing.random.nextInt(most));
      writer.write(bytes, at, count);
      at += count;
      assertThat(writer.length()).isEqualTo(at);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, CRC32C, 512, 4096",
    "511, CRC32C, 512, 4096",
    "512, CRC32, 512, 4096",
    "4095, CRC32C, 512, 4096",
    "4096, CRC32C, 512, 512",
    "4097, CRC32, 512, 4096",
    "100000, CRC32C, 1000, 4096",
    "1048575, CRC32C, 512, 4096",
    "1048576, CRC32C, 512, 4096",
    "1048577, CRC32C, 512, 65536",
    "3000000, CRC32, 1000, 4096",
    "5300001, CRC32C, 512, 4096",
    "5300001, CRC32C, 65536, 4096",
    "3300001, CRC32, 1048576, 65536"
  })
  void blockArrivesWithItsChecksums(int length, ChecksumSpec.Type type, int chunk, int unit)
      throws Exception {
    agent.writes.unit = unit;
    AgentClient client = agent.anotherProcess(4 * MIB);
    byte[] bytes = writing.bytes(length);
    long committed;
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB, type, chunk))) {
      assertThat(writer.room()).isEqualTo(8 * MIB);
      write(writer, bytes);
      assertThat(writer.room()).isEqualTo(8 * MIB - length);
      committed = writer.commit(1);
    } finally {
      client.close();
    }
    FakeWrites.Block written = agent.writes.last();
    assertThat(committed).isEqualTo(7);
    assertThat(written.isCommitted()).isTrue();
    assertThat(written.isClosed()).isTrue();
    assertThat(written.data()).isEqualTo(bytes);
    assertThat(written.checksums()).isEqualTo(crcs(bytes, type, chunk));
    assertThat(writing.counters().blocksWritten.sum()).isEqualTo(1);
    assertThat(writing.counters().writtenBytes.sum()).isEqualTo(length);
    assertThat(writing.counters().replicasLost.sum()).isZero();
    writing.awaitNoWrites();
  }

  @Test
  void agentIsToldAllThatIsKnownOfTheBlock() throws Exception {
    agent.client.allocate(toWrite(100_000)).close();
    FakeWrites.Block asked = agent.writes.last();
    assertThat(asked.key).isEqualTo(new BlockKey("BP-1", 7, 8));
    assertThat(asked.bytes).isEqualTo(100_000);
    assertThat(asked.checksum).isEqualTo(ChecksumSpec.Type.CRC32C);
    assertThat(asked.chunk).isEqualTo(512);
    assertThat(asked.targets)
        .extracting(GroupWriter.Target::node)
        .containsExactly(
            new DataNodeId("dn1", 9866, 9864),
            new DataNodeId("dn2", 9866, 9864),
            new DataNodeId("dn3", 9866, 9864));
    assertThat(asked.targets)
        .extracting(GroupWriter.Target::storageId)
        .containsExactly("DS-1", "DS-2", "DS-3");
    assertThat(asked.targets)
        .extracting(target -> new String(target.token(), StandardCharsets.US_ASCII))
        .containsExactly("mine", "mine", "other");
  }

  @Test
  void windowsAreFilledWhileTheAgentWritesOthers() throws Exception {
    CountDownLatch allowed = new CountDownLatch(1);
    agent.writes.beforeWrite = () -> waitFor(allowed);
    AgentClient client = agent.anotherProcess(4 * MIB);
    byte[] bytes = writing.bytes(1_500_000);
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length); // nothing is answered yet
      assertThat(agent.writes.last().data()).isEmpty();
      allowed.countDown();
      writer.commit(1);
    } finally {
      client.close();
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
  }

  @Test
  void windowsThatWaitAreWrittenAtTheSameTime() throws Exception {
    CountDownLatch allowed = new CountDownLatch(1);
    agent.writes.beforeWrite = () -> waitFor(allowed);
    AgentClient client = agent.anotherProcess(4 * MIB);
    byte[] bytes = writing.bytes(2_300_000); // four windows, and a part of the fifth
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length);
      allowed.countDown();
      writer.commit(1);
    } finally {
      client.close();
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
    assertThat(agent.writes.last().mostUnderWay()).isBetween(3, Protocol.WRITES_MAX);
    assertThat(writing.counters().writtenBytes.sum()).isEqualTo(bytes.length);
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("nobody goes on");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoeverReadsIsServedMeanwhile() throws Exception {
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB));
        AgentBlock reader = agent.open()) {
      writer.write(writing.bytes(1_500_000), 0, 1_500_000);
      byte[] got = new byte[300_000];
      reader.read(5, got, 0, got.length);
      assertThat(got).isEqualTo(block.range(5, got.length));
      writer.commit(1);
    }
  }

  @Test
  void otherTargetsGoOn() throws Exception {
    agent.writes.failsAt = MIB;
    agent.writes.survivors = 0b101;
    byte[] bytes = writing.bytes(3 * MIB);
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length);
      agent.writes.committing = 0b110;
      assertThat(writer.commit(2)).isEqualTo(0b100);
    }
    assertThat(agent.writes.last().needed()).isEqualTo(2);
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
    assertThat(writing.counters().replicasLost.sum()).isEqualTo(2);
  }

  @Test
  void whenNoTargetIsLeftTheBlockIsGivenUp() throws Exception {
    agent.writes.failsAt = MIB;
    agent.writes.survivors = 0;
    byte[] bytes = writing.bytes(8 * MIB);
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB))) {
      assertRefused(FallbackReason.DEVICE_IO_ERROR, () -> writer.write(bytes, 0, bytes.length));
      assertRefused(FallbackReason.DEVICE_IO_ERROR, () -> writer.write(bytes, 0, 1));
      assertRefused(FallbackReason.DEVICE_IO_ERROR, () -> writer.commit(1));
      assertThat(agent.writes.last().isClosed()).isTrue();
    }
    writing.awaitNoWrites();
    agent.writes.failsAt = Long.MAX_VALUE;
    writing.writeAll(agent.client);
    assertThat(writing.counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void commitThatIsRefusedEndsTheBlock() throws Exception {
    agent.writes.committing = 0;
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(MIB))) {
      writer.write(writing.bytes(5), 0, 5);
      assertRefused(FallbackReason.CHECKSUM_MISMATCH, () -> writer.commit(1));
      assertThat(agent.writes.last().isClosed()).isTrue();
    }
    writing.awaitNoWrites();
    agent.writes.committing = -1;
    writing.writeAll(agent.client);
    assertThat(writing.counters().lanes).as("the same one").hasValue(1);
  }

  /** Else a device that was given up would read what the agent has there next. */
  @Test
  void segmentStaysMappedWhileADeviceMayReadFromIt() throws Exception {
    agent.writes.underWay = true;
    AgentClient process = agent.anotherProcess();
    writing.writeAll(process);
    process.close();
    await().until(() -> writing.counters().lanes.get() == 0);

    assertThat(isInSegment(agent.writes.address)).isTrue();
    assertThat(agent.writes.memory).as("held until here").isNotNull();
  }

  private static boolean isInSegment(long address) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      Matcher segment = SEGMENT.matcher(line);
      if (segment.matches()
          && address >= Long.parseUnsignedLong(segment.group(1), 16)
          && address < Long.parseUnsignedLong(segment.group(2), 16)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void closedBlockIsGivenUp() throws Exception {
    AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB));
    writer.write(writing.bytes(1_300_000), 0, 1_300_000);
    writer.close();
    assertThat(agent.writes.last().isClosed()).as("when close has returned").isTrue();
    assertThat(agent.writes.last().isCommitted()).isFalse();
    writer.close();
    assertThatThrownBy(() -> writer.write(new byte[1], 0, 1))
        .isInstanceOf(IllegalStateException.class);
    writing.awaitNoWrites();
    writing.writeAll(agent.client);
    assertThat(writing.counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void committedBlockIsOver() throws Exception {
    AgentBlockWriter writer = agent.client.allocate(toWrite(MIB));
    writer.write(writing.bytes(5), 0, 5);
    writer.commit(1);
    assertThatThrownBy(() -> writer.commit(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> writer.write(new byte[1], 0, 1))
        .isInstanceOf(IllegalStateException.class);
    writer.close();
    assertThat(agent.writes.last().isCommitted()).isTrue();
  }

  @Test
  void emptyBlockIsNotCommitted() throws Exception {
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(MIB))) {
      writer.write(new byte[0], 0, 0);
      assertThatThrownBy(() -> writer.commit(1)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(agent.writes.last().isCommitted()).isFalse();
  }

  @Test
  void noByteTooManyIsTaken() throws Exception {
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(1000))) {
      writer.write(writing.bytes(999), 0, 999);
      assertThatThrownBy(() -> writer.write(new byte[2], 0, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("there is room for 1");
      assertThatThrownBy(() -> writer.write(new byte[1], 1, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      writer.write(new byte[1], 0, 1);
      assertThat(writer.commit(1)).isEqualTo(7);
    }
    assertThat(agent.writes.last().data()).hasSize(1000);
  }

  @Test
  void agentThatIsGoneIsTold() throws Exception {
    byte[] bytes = writing.bytes(8 * MIB);
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, MIB);
      agent.stop();
      assertRefused(
          FallbackReason.AGENT_UNAVAILABLE, () -> writer.write(bytes, MIB, bytes.length - MIB));
    }
    assertThat(agent.writes.last().isClosed()).isTrue();
    assertThat(agent.writes.last().isCommitted()).isFalse();
    agent.start();
    await().until(agent.client::answers);
    writing.writeAll(agent.client);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void interruptIsHeededAndOthersAreServed(boolean isOnlyLane) throws Exception {
    CountDownLatch allowed = new CountDownLatch(1);
    agent.writes.beforeWrite = () -> waitFor(allowed);
    byte[] bytes = writing.bytes(8 * MIB);
    AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB));
    if (!isOnlyLane) {
      agent.open().close(); // by another one
    }
    Thread.currentThread().interrupt();
    assertRefused(FallbackReason.INTERRUPTED, () -> writer.write(bytes, 0, bytes.length));
    assertThat(Thread.interrupted()).isTrue();
    writer.close(); // the device takes longer than that waits
    allowed.countDown();
    writing.awaitNoWrites();
    assertThat(agent.writes.last().isClosed()).isTrue();
    writing.writeAll(agent.client);
    assertThat(writing.counters().sessions.sum()).isEqualTo(isOnlyLane ? 2 : 1);
  }
}
