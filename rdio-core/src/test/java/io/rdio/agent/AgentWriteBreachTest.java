// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.agent.WritingLane.CRC_AT;
import static io.rdio.agent.WritingLane.DATA_AT;
import static io.rdio.agent.WritingLane.MIB;
import static io.rdio.agent.WritingLane.SEGMENT;
import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process that writes must not say: it ends its lane, and no block comes of it. */
@Timeout(180)
class AgentWriteBreachTest {
  private final TestBlock block =
      new TestBlock(3, MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private @TempDir Path directory;
  private AgentFixture agent;
  private WritingLane writer;

  @BeforeEach
  void start() throws Exception {
    agent = new AgentFixture(block, directory);
    writer = WritingLane.connect(agent.socket);
  }

  @AfterEach
  void close() {
    writer.close();
    agent.close();
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
    writer.close();
    writer = WritingLane.connect(agent.socket);
  }

  @Test
  void writesThatAreNotWhatFollowsEndTheLane() throws Exception {
    endsTheLane(() -> writer.write(0, 4096, false));
    endsTheLane(() -> writer.commit(4096));
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
      writer.allocate(60_000);
      endsTheLane(() -> writer.write(wrong[0], (int) wrong[1], wrong[2] == 1));
    }
  }

  @Test
  void writesFromOutsideOfTheSegmentEndTheLane() throws Exception {
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
      writer.allocate(MIB);
      writer.putWrite(0, wrong[0], 8192, wrong[1], false);
      endsTheLane(() -> writer.lane.ask());
    }
  }

  @Test
  void endIsTheEnd() throws Exception {
    writer.allocate(MIB);
    writer.write(0, 4096, true);
    endsTheLane(() -> writer.write(4096, 4096, true));
    writer.allocate(MIB);
    writer.write(0, 4096, false);
    endsTheLane(() -> writer.commit(4096));
    writer.allocate(MIB);
    writer.write(0, 4096, true);
    endsTheLane(() -> writer.commit(4095));
    writer.allocate(MIB);
    writer.write(0, 4096, true);
    endsTheLane(() -> writer.commit(-4096));
    for (int needed : new int[] {0, -1, 2, Integer.MIN_VALUE}) {
      writer.allocate(MIB);
      writer.write(0, 4096, true);
      endsTheLane(() -> writer.commit(4096, needed));
    }
  }

  @Test
  void nothingElseIsDoneOnTheLaneOfAWriter() throws Exception {
    writer.allocate(MIB);
    endsTheLane(() -> writer.allocate(MIB));
    for (int kind :
        new int[] {
          Protocol.READ, Protocol.CLOSE, Protocol.MISMATCH, Protocol.OPEN, Protocol.SEGMENT, 99
        }) {
      writer.allocate(MIB);
      writer.lane.begin(kind).put(0);
      endsTheLane(() -> writer.lane.ask());
    }
  }

  @Test
  void targetsAreOneToSixteenAndTheFirstHasAToken() throws Exception {
    writer.head(MIB, 0);
    endsTheLane(() -> writer.lane.ask());
    writer.head(MIB, -1);
    endsTheLane(() -> writer.lane.ask());
    Frame many = writer.head(MIB, 17);
    for (int i = 0; i < 17; i++) {
      WritingLane.putTarget(many, true);
    }
    endsTheLane(() -> writer.lane.ask());
    WritingLane.putTarget(writer.head(MIB, 1), false);
    endsTheLane(() -> writer.lane.ask());
    WritingLane.putTarget(writer.head(MIB, 2), true);
    endsTheLane(() -> writer.lane.ask());
  }
}
