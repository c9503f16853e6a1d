// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a process says that writes, and what it cannot do to the agent by it. */
@Timeout(180)
class AgentWriteProtocolTest {
  private static final int MIB = 1 << 20;
  private static final int DATA_AT = 4096;
  private static final int CRC_AT = 2 * MIB;
  private static final int SEGMENT = 3 * MIB;
  private static final String OK = "kind " + Protocol.OK;
  private static final String ALLOCATED = "kind " + Protocol.ALLOCATED;
  private static final String WRITTEN = "kind " + Protocol.WRITTEN;
  private static final String COMMITTED = "kind " + Protocol.COMMITTED;

  private final TestBlock block =
      new TestBlock(3, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private @TempDir Path directory;
  private AgentFixture agent;
  private RawLane lane;
  private ByteBuffer memory;

  private void start(AgentLimits limits) throws Exception {
    agent = new AgentFixture(block, directory, limits, request -> Long.MAX_VALUE);
    begin();
  }

  private void begin() throws IOException {
    lane = RawLane.connect(agent.socket);
    lane.hello();
    memory = lane.shareMapped(SEGMENT);
    byte[] bytes = new byte[SEGMENT - DATA_AT];
    new Random(1).nextBytes(bytes);
    memory.put(DATA_AT, bytes);
  }

  private void start() throws Exception {
    start(AgentFixture.LIMITS);
  }

  @AfterEach
  void close() {
    lane.close();
    agent.close();
  }

  private static void putTarget(Frame allocate, boolean ownToken) throws IOException {
    allocate
        .put("dn", Protocol.HOST_MAX)
        .put(9866)
        .put(9864)
        .put("DS-1", Protocol.STORAGE_MAX)
        .put(ownToken ? 1 : 0);
    if (ownToken) {
      allocate.put(new byte[3], Protocol.TOKEN_MAX);
    }
  }

  private Frame head(long bytes, int targets) throws IOException {
    return lane.begin(Protocol.ALLOCATE)
        .put(7L)
        .put(8L)
        .put("BP-1", Protocol.POOL_MAX)
        .put("/f", Protocol.PATH_MAX)
        .put(bytes)
        .put(2)
        .put(512)
        .put(targets);
  }

  private String allocate(long bytes) throws IOException {
    putTarget(head(bytes, 1), true);
    return lane.ask();
  }

  private void putWrite(long offset, int dataAt, int length, int crcAt, boolean isLast) {
    lane.begin(Protocol.WRITE).put(offset).put(dataAt).put(length).put(crcAt).put(isLast ? 1 : 0);
  }

  private String write(long offset, int length, boolean isLast) throws IOException {
    putWrite(offset, DATA_AT, length, CRC_AT, isLast);
    return lane.ask();
  }

  private String commit(long length) throws IOException {
    return commit(length, 1);
  }

  private String commit(long length, int needed) throws IOException {
    lane.begin(Protocol.COMMIT).put(length).put(needed);
    return lane.ask();
  }

  private String abort() throws IOException {
    lane.begin(Protocol.ABORT);
    return lane.ask();
  }

  private byte[] memory(int at, int count) {
    byte[] bytes = new byte[count];
    memory.get(at, bytes);
    return bytes;
  }

  @Test
  void blockIsWrittenFromTheSegment() throws Exception {
    start();
    assertThat(allocate(MIB)).isEqualTo(ALLOCATED);
    assertThat(write(0, 8192, false)).isEqualTo(WRITTEN);
    assertThat(write(8192, 1000, true)).isEqualTo(WRITTEN);
    assertThat(commit(9192)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data())
        .startsWith(memory(DATA_AT, 8192))
        .endsWith(memory(DATA_AT, 1000))
        .hasSize(9192);
    assertThat(agent.writes.last().checksums())
        .startsWith(memory(CRC_AT, 64))
        .endsWith(memory(CRC_AT, 8))
        .hasSize(72);
  }

  /** What it writes again behind a WRITE's answer is not what is committed. */
  @Test
  void checksumsAreThoseThatThereWereWithTheWrite() throws Exception {
    start();
    allocate(MIB);
    write(0, 512, true);
    byte[] then = memory(CRC_AT, 4);
    memory.putInt(CRC_AT, ~memory.getInt(CRC_AT));
    assertThat(commit(512)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().checksums()).isEqualTo(then);
  }

  @Test
  void severalWritesMayBeSentAtOnce() throws Exception {
    start();
    allocate(MIB);
    for (int i = 0; i < 8; i++) {
      putWrite(4096L * i, DATA_AT + 4096 * i, 4096, CRC_AT, i == 7);
      lane.tell();
    }
    for (int i = 0; i < 8; i++) {
      assertThat(lane.answer()).isEqualTo(WRITTEN);
    }
    assertThat(commit(8 * 4096)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data()).isEqualTo(memory(DATA_AT, 8 * 4096));
  }

  @Test
  void whatWasSentBehindARefusedWriteIsRefusedToo() throws Exception {
    start();
    agent.writes.failsAt = 4096;
    agent.writes.survivors = 0;
    allocate(MIB);
    for (int i = 0; i < 3; i++) {
      putWrite(4096L * i, DATA_AT, 4096, CRC_AT, i == 2);
      lane.tell();
    }
    assertThat(lane.answer()).isEqualTo(WRITTEN);
    assertThat(lane.answer()).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(agent.writes.last().isClosed()).isTrue();
    assertThat(lane.answer()).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(commit(12_288)).isEqualTo("DEVICE_IO_ERROR: at 4096");
    assertThat(abort()).isEqualTo(OK);
    agent.writes.failsAt = Long.MAX_VALUE;
    assertThat(allocate(MIB)).isEqualTo(ALLOCATED);
    assertThat(abort()).isEqualTo(OK);
  }

  @Test
  void abortIsForWhoDoesNotKnowWhetherThereIsABlock() throws Exception {
    start();
    assertThat(abort()).isEqualTo(OK);
    allocate(MIB);
    assertThat(abort()).isEqualTo(OK);
    assertThat(agent.writes.last().isClosed()).isTrue();
    assertThat(abort()).isEqualTo(OK);
  }

  /** Something that ends the lane. */
  @FunctionalInterface
  private interface Breach {
    String commit() throws IOException;
  }

  private void endsTheLane(Breach breach) throws IOException {
    int begun = agent.writes.blocks.size();
    long malformed = agent.server().counters().malformed.sum();
    assertThatThrownBy(breach::commit).isInstanceOf(EOFException.class);
    assertThat(agent.server().counters().malformed.sum()).isEqualTo(malformed + 1);
    await()
        .untilAsserted(
            () -> {
              assertThat(agent.writes.blocks).allMatch(FakeWrites.Block::isClosed);
              assertThat(agent.server().counters().openWrites).hasValue(0);
              assertThat(agent.server().counters().lanes).hasValue(0);
            });
    assertThat(agent.writes.blocks).hasSize(begun).noneMatch(FakeWrites.Block::isCommitted);
    lane.close();
    begin();
  }

  @Test
  void writesThatAreNotWhatFollowsEndTheLane() throws Exception {
    start();
    endsTheLane(() -> write(0, 4096, false));
    endsTheLane(() -> commit(4096));
    for (long[] wrong :
        new long[][] {
          {4096, 4096, 0}, // offset, length, whether it is the last
          {-1, 4096, 0},
          {0, 0, 0},
          {0, -4096, 0},
          {0, 4095, 0},
          {0, 512, 0},
          {0, MIB + 4096, 0},
          {0, Integer.MIN_VALUE, 1},
          {0, 60_001, 1}
        }) {
      allocate(60_000);
      endsTheLane(() -> write(wrong[0], (int) wrong[1], wrong[2] == 1));
    }
  }

  @Test
  void writesFromOutsideOfTheSegmentEndTheLane() throws Exception {
    start();
    for (int[] wrong :
        new int[][] {
          {0, CRC_AT},
          {5000, CRC_AT},
          {-4096, CRC_AT},
          {SEGMENT - 4096, CRC_AT},
          {SEGMENT, CRC_AT},
          {DATA_AT, 0},
          {DATA_AT, 100},
          {DATA_AT, SEGMENT},
          {DATA_AT, Integer.MAX_VALUE - 4095}
        }) {
      allocate(MIB);
      putWrite(0, wrong[0], 8192, wrong[1], false);
      endsTheLane(() -> lane.ask());
    }
  }

  @Test
  void endIsTheEnd() throws Exception {
    start();
    allocate(MIB);
    write(0, 4096, true);
    endsTheLane(() -> write(4096, 4096, true));
    allocate(MIB);
    write(0, 4096, false);
    endsTheLane(() -> commit(4096));
    allocate(MIB);
    write(0, 4096, true);
    endsTheLane(() -> commit(4095));
    allocate(MIB);
    write(0, 4096, true);
    endsTheLane(() -> commit(-4096));
    for (int needed : new int[] {0, -1, 2, Integer.MIN_VALUE}) {
      allocate(MIB);
      write(0, 4096, true);
      endsTheLane(() -> commit(4096, needed));
    }
  }

  @Test
  void nothingElseIsDoneOnTheLaneOfAWriter() throws Exception {
    start();
    allocate(MIB);
    endsTheLane(() -> allocate(MIB));
    for (int kind :
        new int[] {
          Protocol.READ, Protocol.CLOSE, Protocol.MISMATCH, Protocol.OPEN, Protocol.SEGMENT, 99
        }) {
      allocate(MIB);
      lane.begin(kind).put(0);
      endsTheLane(() -> lane.ask());
    }
  }

  @Test
  void targetsAreOneToSixteenAndTheFirstHasAToken() throws Exception {
    start();
    head(MIB, 0);
    endsTheLane(() -> lane.ask());
    head(MIB, -1);
    endsTheLane(() -> lane.ask());
    Frame many = head(MIB, 17);
    for (int i = 0; i < 17; i++) {
      putTarget(many, true);
    }
    endsTheLane(() -> lane.ask());
    putTarget(head(MIB, 1), false);
    endsTheLane(() -> lane.ask());
    putTarget(head(MIB, 2), true);
    endsTheLane(() -> lane.ask());
  }

  @Test
  void laneThatEndsGivesItsBlockUp() throws Exception {
    start();
    allocate(MIB);
    write(0, 4096, true);
    lane.close();
    await().until(() -> agent.writes.last().isClosed());
    assertThat(agent.writes.last().isCommitted()).isFalse();
    await().until(() -> agent.server().counters().openWrites.get() == 0);
  }

  private String allocateGroup(int data, int parity, int cell, int mode, long bytes)
      throws IOException {
    Frame group =
        lane.begin(Protocol.ALLOCATE_GROUP)
            .put(data)
            .put(parity)
            .put(cell)
            .put(mode)
            .put("rs", Protocol.CODEC_MAX)
            .put(-1600L)
            .put(8L)
            .put("BP-1", Protocol.POOL_MAX)
            .put("/f", Protocol.PATH_MAX)
            .put(bytes)
            .put(2)
            .put(512)
            .put(3);
    putTarget(group, true);
    putTarget(group, false);
    putTarget(group, false);
    return lane.ask();
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
    assertThat(allocateGroup(data, parity, cell, mode, bytes)).startsWith("WRITE_UNSUPPORTED: ");
    assertThat(agent.writes.groups).isEmpty();
    assertThat(allocateGroup(2, 1, 4096, 2, 8192)).isEqualTo(ALLOCATED);
    assertThat(write(0, 8192, true)).isEqualTo(WRITTEN);
    assertThat(commit(8192)).isEqualTo(COMMITTED);
  }

  @Test
  void whoSharesNothingWritesNothing() throws Exception {
    start();
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      lane.close();
      lane = other;
      assertThat(allocate(MIB)).startsWith("AGENT_UNAVAILABLE: ");
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
    byte[] before = memory(DATA_AT, MIB);
    assertThat(memory.getInt(Protocol.IN_USE_AT)).isZero();
    allocate(MIB);
    letTheAgentLook();
    assertThat(memory(DATA_AT, MIB)).isEqualTo(before);
    write(0, MIB, true);
    assertThat(commit(MIB)).isEqualTo(COMMITTED);
    assertThat(agent.writes.last().data()).isEqualTo(before);
    await()
        .untilAsserted(
            () -> {
              letTheAgentLook();
              assertThat(memory(DATA_AT, MIB)).as("now it is").containsOnly(0);
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
