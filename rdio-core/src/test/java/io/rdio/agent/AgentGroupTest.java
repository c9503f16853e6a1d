// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.BlockToWrite;
import io.rdio.agent.ipc.GroupStripes;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.client.write.GroupAsk;
import io.rdio.client.write.ParityMode;
import io.rdio.client.write.StripeLayout;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups of erasure-coded blocks that processes write by the agent. */
@Timeout(180)
class AgentGroupTest {
  private static final int CELL = 64 << 10;
  private static final long GROUP = 6L << 20;

  private final TestBlock block =
      new TestBlock(3, 1 << 20, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
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

  private static BlockToWrite group(
      long id, int targets, int chunk, GroupStripes.Parity parity, String codec) {
    List<WriteTarget> all = new ArrayList<>();
    for (int i = 0; i < targets; i++) {
      all.add(new WriteTarget("dn" + i, 9866, 9864, "DS-" + i, new byte[] {(byte) i}));
    }
    return new BlockToWrite("BP-1", id, 8, "/file", GROUP, ChecksumSpec.Type.CRC32C, chunk, all)
        .asGroup(new GroupStripes(3, 2, CELL, codec, parity));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "196608, 1", "196609, 2", "393216, 2"})
  void groupIsAskedForInWholeStripes(long bytes, long stripes) {
    GroupStripes how = new GroupStripes(3, 2, CELL, "rs", GroupStripes.Parity.DEFERRED);
    assertThat(how.inStripes(bytes)).isEqualTo(stripes * 3 * CELL);
  }

  @ParameterizedTest
  @EnumSource
  void agentIsToldHowItLies(GroupStripes.Parity parity) throws Exception {
    agent.client.allocate(group(-1600, 5, 512, parity, "rs")).close();
    GroupAsk asked = agent.writes.groups.get(0);
    assertThat(asked.group()).isEqualTo(new BlockKey("BP-1", -1600, 8));
    assertThat(asked.layout()).isEqualTo(new StripeLayout(3, 2, CELL));
    assertThat(asked.codec()).isEqualTo("rs");
    assertThat(asked.parity()).isEqualTo(ParityMode.valueOf(parity.name()));
    assertThat(asked.bytes()).isEqualTo(GROUP);
    assertThat(asked.bytesPerChecksum()).isEqualTo(512);
    assertThat(asked.targets()).hasSize(5);
    for (int i = 0; i < 5; i++) {
      assertThat(asked.targets().get(i).node().host()).isEqualTo("dn" + i);
      assertThat(asked.targets().get(i).token()).containsExactly(i);
      assertThat(asked.targets().get(i).storageId()).isEqualTo("DS-" + i);
    }
  }

  @Test
  void itsDataComesInTheOrderOfTheFile() throws Exception {
    byte[] bytes = new byte[1_700_001];
    new Random(1).nextBytes(bytes);
    try (AgentBlockWriter writer =
        agent.client.allocate(group(-1600, 5, 512, GroupStripes.Parity.DEFERRED, "rs"))) {
      writer.write(bytes, 0, 700);
      writer.write(bytes, 700, bytes.length - 700);
      assertThat(writer.commit(1)).isEqualTo(0b11111);
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
    assertThat(agent.server().figures()).containsEntry("groups_without_parity", 1L);
  }

  /** Whoever copies what it gets has nothing to do meanwhile, and its writer wants it back. */
  @Test
  void rangesOfWhichOneIsTakenAtATimeAreAnsweredAtOnce() throws Exception {
    agent.writes.ranges = 1;
    byte[] bytes = new byte[2_300_000];
    try (AgentBlockWriter writer =
        agent.client.allocate(group(-1600, 5, 512, GroupStripes.Parity.DEFERRED, "rs"))) {
      writer.write(bytes, 0, bytes.length);
      writer.commit(1);
    }
    assertThat(agent.writes.last().data()).hasSize(bytes.length);
    assertThat(agent.writes.last().mostUnderWay()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "-1600, 4, 512, rs", // a target too few
    "-1600, 5, 65537, rs", // chunks that are no part of a cell
    "-1601, 5, 512, rs", // the id of a block in a group
    "1600, 5, 512, rs",
    "-1600, 5, 256, rs" // below what DataNodes take
  })
  void whatCannotBeIsRefused(long id, int targets, int chunk, String codec) {
    assertThatThrownBy(
            () ->
                agent.client.allocate(
                    group(id, targets, chunk, GroupStripes.Parity.IMMEDIATE, codec)))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNSUPPORTED));
    assertThat(agent.writes.blocks).isEmpty();
    assertThat(agent.server().counters().malformed.sum()).isZero();
    assertThat(agent.server().counters().openWrites).hasValue(0);
  }

  /** As the process made them, and once more for each block; those of parity count elsewhere. */
  @Test
  void checksumsOfAGroupAreInMemoryTwice() throws Exception {
    long most = AgentFixture.WRITES.checksumBytes();
    try (AgentBlockWriter writer =
        agent.client.allocate(group(-1600, 5, 512, GroupStripes.Parity.DEFERRED, "rs"))) {
      assertThat(writer.room()).isEqualTo(GROUP);
      assertThat(agent.server().counters().checksumBytes)
          .hasValue(2 * GROUP / 512 * Integer.BYTES)
          .hasValueLessThan(most);
    }
  }
}
