// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.RangeReads;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges by the agent that are under way together. */
class AgentRangesTest {
  private static final int LENGTH = (3 << 20) + 77;

  private @TempDir Path directory;
  private AgentFixture agent;

  @AfterEach
  void close() {
    agent.close();
  }

  private void start(ChecksumSpec.Type type, int chunk) throws IOException {
    agent = new AgentFixture(new TestBlock(11, LENGTH, type, chunk, 4096, 200_000), directory);
  }

  @ParameterizedTest
  @CsvSource({"CRC32C, 512", "CRC32, 512", "CRC32C, 65536", "CRC32C, 100", "NULL, 512"})
  void eachGoesToItsOwnMemory(ChecksumSpec.Type type, int chunk) throws Exception {
    start(type, chunk);
    Random random = new Random(3);
    try (AgentBlock block = agent.open();
        RangeReads ranges = block.ranges()) {
      for (int round = 0; round < 20; round++) {
        List<Integer> offsets = new ArrayList<>();
        List<ByteBuffer> targets = new ArrayList<>();
        int begun = 1;
        while (begun > 0) {
          int from = random.nextInt(LENGTH);
          int count = 1 + random.nextInt(Math.min(LENGTH - from, 200_000));
          ByteBuffer target =
              random.nextBoolean()
                  ? ByteBuffer.allocate(count + 2).position(1).slice()
                  : ByteBuffer.allocateDirect(count + 1);
          begun = ranges.begin(from, target, 1, count);
          if (begun > 0) {
            offsets.add(from);
            targets.add(target.limit(1 + begun).position(1));
          }
        }
        assertThat(ranges.underWay()).isEqualTo(targets.size()).isGreaterThan(2);
        for (int i = 0; i < targets.size(); i++) {
          int count = ranges.complete();
          assertThat(targets.get(i))
              .isEqualTo(ByteBuffer.wrap(agent.block.bytes, offsets.get(i), count));
        }
      }
    }
  }

  @Test
  void aWrongChunkIsToldAndTheLaneGoesOn() throws Exception {
    start(ChecksumSpec.Type.CRC32C, 512);
    try (AgentBlock block = agent.open()) {
      agent.block.image[agent.block.placeOf(50_000)] ^= 1;
      try (RangeReads ranges = block.ranges()) {
        ranges.begin(0, ByteBuffer.allocate(1000), 0, 1000);
        ranges.begin(49_900, ByteBuffer.allocate(1000), 0, 1000);
        ranges.begin(90_000, ByteBuffer.allocate(1000), 0, 1000);
        ranges.complete();
        refusedWith(FallbackReason.CHECKSUM_MISMATCH, ranges);
      }
      agent.block.image[agent.block.placeOf(50_000)] ^= 1;
      assertThat(agent.suspects).containsExactly(50_000L - 50_000 % 512);
    }
  }

  @ParameterizedTest
  @CsvSource({"1048376, 2", "1048576, 2", "262000, 1", "500000, 2", "2097000, 2", "3000000, 3"})
  void aRangeIsCutIntoFewReads(int count, int reads) throws Exception {
    AgentClient process = startWithMuchMemory();
    long before = agent.server().counters().reads.sum();
    ByteBuffer target = ByteBuffer.allocate(count);
    try (AgentBlock block = process.open(agent.name(), LENGTH, false);
        RangeReads ranges = block.ranges()) {
      for (int done = 0; done < count; ) {
        done += ranges.begin(77 + done, target, done, count - done);
      }
      while (ranges.underWay() > 0) {
        ranges.complete();
      }
    } finally {
      process.close();
    }
    assertThat(target).isEqualTo(ByteBuffer.wrap(agent.block.bytes, 77, count));
    assertThat(agent.server().counters().reads.sum() - before).isEqualTo(reads);
  }

  @Test
  void noMoreReadsAreUnderWayThanALaneHas() throws Exception {
    AgentClient process = startWithMuchMemory();
    ByteBuffer target = ByteBuffer.allocate(10);
    try (AgentBlock block = process.open(agent.name(), LENGTH, false);
        RangeReads ranges = block.ranges()) {
      int begun = 0;
      while (ranges.begin(1000L * begun, target, 0, 10) > 0) {
        begun++;
      }
      assertThat(begun).isEqualTo(Protocol.READS_MAX);
      ranges.complete();
      assertThat(ranges.begin(0, target, 0, 10)).isEqualTo(10);
      assertThat(ranges.begin(0, target, 0, 10)).isZero();
    } finally {
      process.close();
    }
  }

  /** For whom a lane's own bounds count, and not how much memory there is. */
  private AgentClient startWithMuchMemory() throws IOException {
    long memory = 64L << 20;
    agent =
        new AgentFixture(
            new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 200_000),
            directory,
            new AgentLimits(
                8,
                16,
                12,
                8,
                memory,
                memory,
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                AgentFixture.WRITES),
            request -> Long.MAX_VALUE);
    return agent.anotherProcess(memory);
  }

  @Test
  void whoWantsLittleIsNotedUntilTheBlockIsOpen() throws Exception {
    start(ChecksumSpec.Type.CRC32C, 512);
    assertThat(agent.client.isNoted(agent.name(), AgentFixture.FIRST_BYTES)).isTrue();
    assertThat(agent.client.isNoted(agent.name(), AgentFixture.FIRST_BYTES + 1)).isFalse();
    agent.open().close();
    assertThat(agent.client.isNoted(agent.name(), AgentFixture.FIRST_BYTES)).isFalse();
  }

  @Test
  void anAgentThatEndsRefuses() throws Exception {
    start(ChecksumSpec.Type.CRC32C, 512);
    try (AgentBlock block = agent.open();
        RangeReads ranges = block.ranges()) {
      ranges.begin(0, ByteBuffer.allocate(10), 0, 10);
      ranges.complete();
      agent.stop();
      assertThatThrownBy(
              () -> {
                ranges.begin(0, ByteBuffer.allocate(10), 0, 10);
                ranges.complete();
              })
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_UNAVAILABLE));
    }
  }

  @Test
  void whatIsGivenUpWritesNothing() throws Exception {
    start(ChecksumSpec.Type.CRC32C, 512);
    byte[] target = new byte[100_000];
    try (AgentBlock block = agent.open()) {
      try (RangeReads ranges = block.ranges()) {
        ranges.begin(5, ByteBuffer.wrap(target), 0, target.length);
      }
      byte[] got = new byte[target.length];
      block.read(5, got, 0, got.length);
      assertThat(got).isEqualTo(agent.block.range(5, got.length));
    }
    assertThat(target).containsOnly(0);
  }

  private static void refusedWith(FallbackReason reason, RangeReads ranges) {
    assertThatThrownBy(ranges::complete)
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
