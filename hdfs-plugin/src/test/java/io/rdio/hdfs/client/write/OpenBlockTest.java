// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.GroupStripes;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which blocks are good enough, and what is said of the others. */
final class OpenBlockTest {
  private final FakeBlocks agent = new FakeBlocks();
  private final WriteCounters counters = new WriteCounters();
  private final FakeFile group = new FakeFile(1000, 5, 5);

  private OpenBlock open(int targets, int replicationMin) throws Exception {
    FakeFile file = new FakeFile(1000, targets, targets);
    LocatedBlock located = file.addBlock(null, new DatanodeInfo[0]);
    OpenBlock block =
        new OpenBlock(file, located, agent.open(file, located, 1000), replicationMin, counters);
    block.write(new byte[10], 3, 5);
    return block;
  }

  @ParameterizedTest
  @CsvSource({
    // targets, replication, the NameNode's least, needed
    "1, 1, 1, 1",
    "2, 2, 1, 1",
    "2, 2, 2, 2",
    "3, 3, 1, 2",
    "3, 3, 3, 3",
    "4, 4, 1, 3",
    "5, 5, 1, 3",
    "10, 10, 1, 6",
    // As many DataNodes as there are: none may be lost that stock HDFS would miss.
    "2, 3, 1, 2",
    "1, 3, 1, 1",
    "3, 10, 1, 3",
    "1, 1, 5, 1"
  })
  void needsWhatStockHdfsGoesOnWith(int targets, int replication, int least, int needed) {
    assertThat(OpenBlock.needed(targets, replication, least)).isEqualTo(needed);
  }

  @ParameterizedTest
  @CsvSource({"28, 3", "31, 3", "7, 3"})
  void groupNeedsAsManyBlocksAsItsDataIsMadeOfAgain(long bits, int data) throws Exception {
    agent.bits = bits;
    try (OpenBlock block = openGroup(data)) {
      assertThat(block.commit().getNumBytes()).isEqualTo(5);
    }
    assertThat(group.abandoned).isZero();
    assertThat(counters.missedReplicas.sum()).isEqualTo(5 - Long.bitCount(bits));
  }

  @Test
  void agentIsToldHowManyAreNeeded() throws Exception {
    open(3, 1).commit();
    assertThat(agent.needed).isEqualTo(2);
    openGroup(4).commit();
    assertThat(agent.needed).isEqualTo(4);
  }

  @Test
  void groupOfTooFewBlocksIsLost() throws Exception {
    agent.bits = 0b10001;
    try (OpenBlock block = openGroup(3)) {
      assertThatThrownBy(block::commit).hasMessageContaining("2 of 5 replicas, fewer than the 3");
    }
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
  }

  private OpenBlock openGroup(int data) throws Exception {
    group.stripes = new GroupStripes(data, 5 - data, 10, "rs", GroupStripes.Parity.DEFERRED);
    LocatedBlock located = group.addBlock(null, new DatanodeInfo[0]);
    RemoteBlock replicas = agent.open(group, located, group.blockBytes());
    OpenBlock block = new OpenBlock(group, located, replicas, 1, counters);
    block.write(new byte[10], 3, 5);
    return block;
  }

  @Test
  void missedReplicasAreForTheNameNodeToMake() throws Exception {
    agent.bits = 0b101;
    OpenBlock block = open(3, 1);
    assertThat(block.length()).isEqualTo(5);

    ExtendedBlock written = block.commit();

    assertThat(written.getNumBytes()).isEqualTo(5);
    assertThat(counters.bytes.sum()).isEqualTo(5);
    assertThat(counters.blocks.sum()).isEqualTo(1);
    assertThat(counters.missedReplicas.sum()).isEqualTo(1);
    assertThat(counters.lostBlocks.sum()).isZero();
  }

  @Test
  void blockOfTooFewReplicasIsLost() throws Exception {
    agent.bits = 0b100;
    OpenBlock block = open(3, 1);

    assertThatThrownBy(block::commit)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(FakeFile.PATH)
        .hasMessageContaining("1 of 3 replicas, fewer than the 2")
        .hasMessageContaining("write the file again");
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
    assertThat(counters.blocks.sum()).isZero();
  }

  @Test
  void blockThatNobodyCommittedIsLost() throws Exception {
    OpenBlock block = open(1, 1);
    agent.committing = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);

    assertThatThrownBy(block::commit)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("AGENT_UNAVAILABLE")
        .hasCause(agent.committing);
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
    block.close();
    block.close();
    assertThat(agent.open).isZero();
  }

  @Test
  void interruptedWriterHearsOfIt() throws Exception {
    OpenBlock block = open(1, 1);
    agent.writing = FakeBlocks.refusal(FallbackReason.INTERRUPTED);

    assertThatThrownBy(() -> block.write(new byte[1], 0, 1))
        .isInstanceOf(InterruptedIOException.class)
        .hasCause(agent.writing);
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
  }
}
