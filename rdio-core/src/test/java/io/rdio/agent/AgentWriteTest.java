// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.AgentCounters;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.BlockToWrite;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.write.GroupWriter;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
  private static final int MIB = 1 << 20;

  private final TestBlock block =
      new TestBlock(3, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final Random random = new Random(1);
  private @TempDir Path directory;
  private AgentFixture agent;

  @BeforeEach
  void start() throws Exception {
    agent = new AgentFixture(block, directory);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  private AgentCounters counters() {
    return agent.server().counters();
  }

  private static WriteTarget target(int number, String token) {
    return new WriteTarget(
        "dn" + number, 9866, 9864, "DS-" + number, token.getBytes(StandardCharsets.US_ASCII));
  }

  private static BlockToWrite toWrite(long bytes, ChecksumSpec.Type type, int chunk) {
    return new BlockToWrite(
        "BP-1",
        7,
        8,
        "/file",
        bytes,
        type,
        chunk,
        List.of(target(1, "mine"), target(2, "mine"), target(3, "other")));
  }

  private static BlockToWrite toWrite(long bytes) {
    return toWrite(bytes, ChecksumSpec.Type.CRC32C, 512);
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
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
      int most = random.nextBoolean() ? 1000 : 300_000;
      int count = Math.min(bytes.length - at, random.nextInt(most));
      writer.write(bytes, at, count);
      at += count;
      assertThat(writer.length()).isEqualTo(at);
    }
  }

  private void awaitNoWrites() {
    await()
        .untilAsserted(
            () -> {
              assertThat(counters().openWrites).hasValue(0);
              assertThat(counters().checksumBytes).hasValue(0);
            });
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
    byte[] bytes = bytes(length);
    long committed;
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB, type, chunk))) {
      assertThat(writer.room()).isEqualTo(8 * MIB);
      write(writer, bytes);
      assertThat(writer.room()).isEqualTo(8 * MIB - length);
      committed = writer.commit();
    } finally {
      client.close();
    }
    FakeWrites.Block written = agent.writes.last();
    assertThat(committed).isEqualTo(7);
    assertThat(written.isCommitted()).isTrue();
    assertThat(written.isClosed()).isTrue();
    assertThat(written.data()).isEqualTo(bytes);
    assertThat(written.checksums()).isEqualTo(crcs(bytes, type, chunk));
    assertThat(counters().blocksWritten.sum()).isEqualTo(1);
    assertThat(counters().writtenBytes.sum()).isEqualTo(length);
    assertThat(counters().replicasLost.sum()).isZero();
    awaitNoWrites();
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
    byte[] bytes = bytes(1_500_000);
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length); // nothing is answered yet
      assertThat(agent.writes.last().data()).isEmpty();
      allowed.countDown();
      writer.commit();
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
    byte[] bytes = bytes(2_300_000); // four windows, and a part of the fifth
    try (AgentBlockWriter writer = client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length);
      allowed.countDown();
      writer.commit();
    } finally {
      client.close();
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
    assertThat(agent.writes.last().mostUnderWay()).isBetween(3, Protocol.WRITES_MAX);
    assertThat(counters().writtenBytes.sum()).isEqualTo(bytes.length);
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
      writer.write(bytes(1_500_000), 0, 1_500_000);
      byte[] got = new byte[300_000];
      reader.read(5, got, 0, got.length);
      assertThat(got).isEqualTo(block.range(5, got.length));
      writer.commit();
    }
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
    awaitNoWrites();
    assertThat(counters().writesRefused.sum()).isEqualTo(1);
    assertThat(counters().refusals(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(1);
    agent.writes.refusing = -1;
    writeAll(agent.client);
    assertThat(counters().lanes).as("the same one").hasValue(1);
  }

  private void writeAll(AgentClient client) throws FallbackException {
    byte[] bytes = bytes(20_000);
    try (AgentBlockWriter writer = client.allocate(toWrite(MIB))) {
      writer.write(bytes, 0, bytes.length);
      assertThat(writer.commit()).isEqualTo(7);
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
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
    assertThat(counters().openWrites).hasValue(0);
  }

  @Test
  void slotThatIsTooSmallIsGivenBack() {
    agent.writes.capacity = MIB - 1;
    assertRefused(FallbackReason.SLOTS_EXHAUSTED, () -> agent.client.allocate(toWrite(MIB)));
    assertThat(agent.writes.last().isClosed()).isTrue();
    awaitNoWrites();
  }

  @Test
  void otherTargetsGoOn() throws Exception {
    agent.writes.failsAt = MIB;
    agent.writes.survivors = 0b101;
    byte[] bytes = bytes(3 * MIB);
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB))) {
      writer.write(bytes, 0, bytes.length);
      agent.writes.committing = 0b110;
      assertThat(writer.commit()).isEqualTo(0b100);
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
    assertThat(counters().replicasLost.sum()).isEqualTo(2);
  }

  @Test
  void whenNoTargetIsLeftTheBlockIsGivenUp() throws Exception {
    agent.writes.failsAt = MIB;
    agent.writes.survivors = 0;
    byte[] bytes = bytes(8 * MIB);
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB))) {
      assertRefused(FallbackReason.DEVICE_IO_ERROR, () -> writer.write(bytes, 0, bytes.length));
      assertRefused(FallbackReason.DEVICE_IO_ERROR, () -> writer.write(bytes, 0, 1));
      assertRefused(FallbackReason.DEVICE_IO_ERROR, writer::commit);
      assertThat(agent.writes.last().isClosed()).isTrue();
    }
    awaitNoWrites();
    agent.writes.failsAt = Long.MAX_VALUE;
    writeAll(agent.client);
    assertThat(counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void commitThatIsRefusedEndsTheBlock() throws Exception {
    agent.writes.committing = 0;
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(MIB))) {
      writer.write(bytes(5), 0, 5);
      assertRefused(FallbackReason.CHECKSUM_MISMATCH, writer::commit);
      assertThat(agent.writes.last().isClosed()).isTrue();
    }
    awaitNoWrites();
    agent.writes.committing = -1;
    writeAll(agent.client);
    assertThat(counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void closedBlockIsGivenUp() throws Exception {
    AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB));
    writer.write(bytes(1_300_000), 0, 1_300_000);
    writer.close();
    assertThat(agent.writes.last().isClosed()).as("when close has returned").isTrue();
    assertThat(agent.writes.last().isCommitted()).isFalse();
    writer.close();
    assertThatThrownBy(() -> writer.write(new byte[1], 0, 1))
        .isInstanceOf(IllegalStateException.class);
    awaitNoWrites();
    writeAll(agent.client);
    assertThat(counters().lanes).as("the same one").hasValue(1);
  }

  @Test
  void committedBlockIsOver() throws Exception {
    AgentBlockWriter writer = agent.client.allocate(toWrite(MIB));
    writer.write(bytes(5), 0, 5);
    writer.commit();
    assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> writer.write(new byte[1], 0, 1))
        .isInstanceOf(IllegalStateException.class);
    writer.close();
    assertThat(agent.writes.last().isCommitted()).isTrue();
  }

  @Test
  void emptyBlockIsNotCommitted() throws Exception {
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(MIB))) {
      writer.write(new byte[0], 0, 0);
      assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
    }
    assertThat(agent.writes.last().isCommitted()).isFalse();
  }

  @Test
  void noByteTooManyIsTaken() throws Exception {
    try (AgentBlockWriter writer = agent.client.allocate(toWrite(1000))) {
      writer.write(bytes(999), 0, 999);
      assertThatThrownBy(() -> writer.write(new byte[2], 0, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("there is room for 1");
      assertThatThrownBy(() -> writer.write(new byte[1], 1, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      writer.write(new byte[1], 0, 1);
      assertThat(writer.commit()).isEqualTo(7);
    }
    assertThat(agent.writes.last().data()).hasSize(1000);
  }

  @Test
  void agentThatIsGoneIsTold() throws Exception {
    byte[] bytes = bytes(8 * MIB);
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
    writeAll(agent.client);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void interruptIsHeededAndOthersAreServed(boolean isOnlyLane) throws Exception {
    CountDownLatch allowed = new CountDownLatch(1);
    agent.writes.beforeWrite = () -> waitFor(allowed);
    byte[] bytes = bytes(8 * MIB);
    AgentBlockWriter writer = agent.client.allocate(toWrite(8 * MIB));
    if (!isOnlyLane) {
      agent.open().close(); // by another one
    }
    Thread.currentThread().interrupt();
    assertRefused(FallbackReason.INTERRUPTED, () -> writer.write(bytes, 0, bytes.length));
    assertThat(Thread.interrupted()).isTrue();
    writer.close(); // the device takes longer than that waits
    allowed.countDown();
    awaitNoWrites();
    assertThat(agent.writes.last().isClosed()).isTrue();
    writeAll(agent.client);
    assertThat(counters().sessions.sum()).isEqualTo(isOnlyLane ? 2 : 1);
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
    awaitNoWrites();
  }

  @Test
  void memoryForChecksumsIsBounded() throws Exception {
    long halfOfIt = AgentFixture.WRITES.checksumBytes() / 2 / Integer.BYTES * 512;
    agent.writes.capacity = 2 * halfOfIt;
    AgentClient client = agent.anotherProcess(4 * MIB); // each has a window
    try (AgentBlockWriter first = client.allocate(toWrite(halfOfIt));
        AgentBlockWriter second = client.allocate(toWrite(halfOfIt))) {
      assertThat(first.room()).isEqualTo(second.room());
      assertThat(counters().checksumBytes).hasValue(AgentFixture.WRITES.checksumBytes());
      assertRefused(FallbackReason.AGENT_BUSY, () -> client.allocate(toWrite(1)));
    } finally {
      client.close();
    }
    awaitNoWrites();
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
    assertThat(counters().malformed.sum()).isZero();
  }

  private static BlockToWrite named(String file, List<WriteTarget> targets) {
    return new BlockToWrite("BP-1", 7, 8, file, MIB, ChecksumSpec.Type.CRC32C, 512, targets);
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
    assertThat(counters().failures.sum()).isZero();
    String longest = "/" + "x".repeat(11_999);
    agent.client.allocate(named(longest, List.of(target(1, "a".repeat(3000))))).close();
  }

  private static void assertRefused(FallbackReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
