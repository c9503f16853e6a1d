// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.GroupStripes;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a block at the NameNode when somebody does not want to write it. */
final class NewBlocksTest {
  private final FakeBlocks agent = new FakeBlocks();
  private final Choices choices = new Choices(agent);

  private NewBlocks blocks(FakeFile file) {
    return new NewBlocks(file, choices.choice);
  }

  /** Nothing of what was tried is left at the NameNode, and it is counted once. */
  private void assertStock(FakeFile file, FallbackReason reason) {
    assertThat(file.blocks).isEmpty();
    assertThat(file.abandoned).isEqualTo(file.added);
    assertThat(choices.counters.fallbacks(reason)).isEqualTo(1);
    assertThat(agent.open).isZero();
  }

  @Test
  void blocksFollowEachOther() throws Exception {
    FakeFile file = new FakeFile(10, 3, 4);
    NewBlocks blocks = blocks(file);
    OpenBlock first = Objects.requireNonNull(blocks.next(null, 10));
    first.write(new byte[10], 0, 10);
    OpenBlock second = Objects.requireNonNull(blocks.next(first.commit(), 10));
    second.close();

    assertThat(file.blocks).hasSize(2);
    assertThat(file.blocks.get(0).getNumBytes()).isEqualTo(10);
    assertThat(file.abandoned).isZero();
  }

  @Test
  void targetThatRefusesIsLeftOutForTheRestOfTheFile() throws Exception {
    FakeFile file = new FakeFile(10, 3, 5);
    agent.refusing.add(1);
    agent.refusing.add(3);
    NewBlocks blocks = blocks(file);
    OpenBlock first = Objects.requireNonNull(blocks.next(null, 10));
    assertThat(file.added).isEqualTo(3);
    assertThat(file.abandoned).isEqualTo(2);
    first.write(new byte[10], 0, 10);

    assertThat(blocks.next(first.commit(), 10)).isNotNull();

    assertThat(file.added).isEqualTo(4);
    assertThat(file.abandoned).isEqualTo(2);
    assertThat(choices.counters.fallbacks(FallbackReason.SLOTS_EXHAUSTED)).isZero();
  }

  @Test
  void noReplicaIsGivenUpForOurSake() throws Exception {
    FakeFile file = new FakeFile(10, 3, 3);
    agent.refusing.add(2);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.SLOTS_EXHAUSTED);
    assertThat(agent.opened).isEqualTo(1);
  }

  @Test
  void stockHdfsIsAskedWhereNobodyElseIsLeft() throws Exception {
    FakeFile file = new FakeFile(10, 1, 1);
    agent.refusing.add(0);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.SLOTS_EXHAUSTED);
  }

  /** The NameNode gives the same group again, for it abandons none. */
  @Test
  void groupIsNotTriedAgain() throws Exception {
    FakeFile file = new FakeFile(10, 5, 7);
    file.stripes = new GroupStripes(3, 2, 10, "rs", GroupStripes.Parity.IMMEDIATE);
    agent.refusing.add(1);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertThat(agent.opened).isEqualTo(1);
    assertThat(file.awaited).as("stock HDFS writes it").isEqualTo(1);
    assertThat(file.abandoned).isZero();
    assertThat(choices.counters.fallbacks(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(1);
  }

  @Test
  void triesAreBounded() throws Exception {
    FakeFile file = new FakeFile(10, 1, 20);
    for (int i = 0; i < 20; i++) {
      agent.refusing.add(i);
    }
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.SLOTS_EXHAUSTED);
    assertThat(agent.opened).as("the first and dfs.client.block.write.retries").isEqualTo(4);
  }

  @Test
  void whatIsNotATargetsFaultIsNotTriedAgain() throws Exception {
    FakeFile file = new FakeFile(10, 3, 5);
    agent.opening = FakeBlocks.refusal(FallbackReason.AGENT_BUSY);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.AGENT_BUSY);
    assertThat(agent.opened).isEqualTo(1);
  }

  /** Another NameNode has taken over between the block and its writer's question. */
  @Test
  void blockWhoseTargetsAreForgottenIsAddedAnew() throws Exception {
    FakeFile file = new FakeFile(10, 3, 3);
    agent.openingNext = FakeBlocks.refusal(FallbackReason.LOCATION_UNKNOWN);
    NewBlocks blocks = blocks(file);
    OpenBlock first = Objects.requireNonNull(blocks.next(null, 10));
    assertThat(file.added).isEqualTo(2);
    assertThat(file.abandoned).isEqualTo(1);
    assertThat(choices.counters.fallbacks(FallbackReason.LOCATION_UNKNOWN)).isZero();

    first.write(new byte[10], 0, 10);
    agent.openingNext = FakeBlocks.refusal(FallbackReason.LOCATION_UNKNOWN);
    assertThat(blocks.next(first.commit(), 10)).as("once for a file").isNull();
    assertThat(file.abandoned).isEqualTo(2);
    assertThat(choices.counters.fallbacks(FallbackReason.LOCATION_UNKNOWN)).isEqualTo(1);
  }

  @Test
  void blockIsAddedAnewOnceOnly() throws Exception {
    FakeFile file = new FakeFile(10, 3, 3);
    agent.opening = FakeBlocks.refusal(FallbackReason.LOCATION_UNKNOWN);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.LOCATION_UNKNOWN);
    assertThat(agent.opened).isEqualTo(2);
  }

  @Test
  void groupIsNotAddedAnew() throws Exception {
    FakeFile file = new FakeFile(10, 5, 5);
    file.stripes = new GroupStripes(3, 2, 10, "rs", GroupStripes.Parity.IMMEDIATE);
    agent.opening = FakeBlocks.refusal(FallbackReason.LOCATION_UNKNOWN);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertThat(agent.opened).isEqualTo(1);
    assertThat(file.awaited).isEqualTo(1);
  }

  @Test
  void nameNodeIsAskedForNothingWhereNoAgentAnswers() throws Exception {
    FakeFile file = new FakeFile(10, 3, 5);
    agent.answering = FakeBlocks.refusal(FallbackReason.AGENT_UNAVAILABLE);
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.AGENT_UNAVAILABLE);
    assertThat(file.added).isZero();
  }

  @Test
  void accidentLeavesTheFileToStockHdfs() throws Exception {
    FakeFile file = new FakeFile(10, 3, 5);
    agent.accident = new IllegalStateException("by accident");
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.INTERNAL_ERROR);
  }

  @ParameterizedTest
  @EnumSource(
      value = StorageType.class,
      names = {"RAM_DISK", "PROVIDED"})
  void onlyDisksAreWrittenTo(StorageType type) throws Exception {
    FakeFile file = new FakeFile(10, 1, 1);
    file.storage = type;
    assertThat(blocks(file).next(null, 10)).isNull();
    assertStock(file, FallbackReason.STORAGE_UNSUPPORTED);
    assertThat(agent.opened).isZero();
  }

  /** Such as a quota: stock HDFS would meet it, too. */
  @Test
  void whatTheNameNodeRefusesIsTheWritersToHear() {
    FakeFile file = new FakeFile(10, 1, 1);
    file.refusal = new IOException("quota");
    assertThatThrownBy(() -> blocks(file).next(null, 10)).isSameAs(file.refusal);
  }

  @Test
  void nobodyTriesAgainAtOnce() throws Exception {
    agent.opening = FakeBlocks.refusal(FallbackReason.AGENT_BUSY);
    assertThat(blocks(new FakeFile(10, 1, 1)).next(null, 10)).isNull();
    agent.opening = null;
    FakeFile next = new FakeFile(10, 1, 1);
    assertThat(blocks(next).next(null, 10)).isNull();
    assertThat(next.added).isZero();

    choices.nanos.addAndGet(WriteChoice.MOMENT_NANOS);
    assertThat(blocks(next).next(null, 10)).isNotNull();
    assertThat(choices.counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(2);
  }

  @Test
  void numberOfTriesIsHadoops() throws Exception {
    Choices none = new Choices(agent, "dfs.client.block.write.retries", "0");
    agent.refusing.add(0);
    FakeFile file = new FakeFile(10, 1, 5);
    assertThat(new NewBlocks(file, none.choice).next(null, 10)).isNull();
    assertThat(agent.opened).isEqualTo(1);
  }
}
