// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.FakeGuard;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes by the agent: all of them right, whatever is asked for and whatever goes wrong. */
class AgentReadTest {
  private static final int LENGTH = (3 << 20) + 77;

  private @TempDir Path directory;
  private AgentFixture agent;

  @AfterEach
  void close() {
    agent.close();
  }

  private void start(TestBlock block) throws IOException {
    agent = new AgentFixture(block, directory);
  }

  private static TestBlock usual() {
    return new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  }

  @Test
  void whoWantsLittleIsAskedForWhileTheMapIsNotHere() throws Exception {
    start(usual());
    agent.firstReads =
        request -> {
          throw new FallbackException(FallbackReason.FIRST_READ, request.block().toString());
        };
    int little = (int) AgentFixture.FIRST_BYTES;

    assertThatThrownBy(() -> agent.client.open(agent.name(), little, false))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.FIRST_READ));
    try (AgentBlock reader = agent.client.open(agent.name(), little + 1, false)) {
      byte[] got = new byte[little + 1];
      reader.read(0, got, 0, got.length);
      assertThat(got).isEqualTo(agent.block.range(0, got.length));
    }
    agent.client.open(agent.name(), little, false).close(); // it is open: nobody need ask
  }

  @ParameterizedTest
  @CsvSource({
    "CRC32C, 512, 4096",
    "CRC32, 512, 4096",
    "CRC32C, 512, 1024",
    "CRC32C, 65536, 4096",
    "CRC32C, 100, 4096",
    "NULL, 512, 4096"
  })
  void anyRangeToAnyKindOfMemory(ChecksumSpec.Type type, int chunk, int grain) throws Exception {
    start(new TestBlock(11, LENGTH, type, chunk, grain, 200_000));
    Random random = new Random(5);
    try (AgentBlock reader = agent.open()) {
      for (int i = 0; i < 60; i++) {
        int from = random.nextInt(LENGTH);
        int count = 1 + random.nextInt(Math.min(LENGTH - from, i % 3 == 0 ? LENGTH : 9000));
        byte[] array = new byte[count + 3];
        reader.read(from, array, 3, count);
        assertThat(ByteBuffer.wrap(array, 3, count))
            .isEqualTo(ByteBuffer.wrap(agent.block.bytes, from, count));
        ByteBuffer direct = ByteBuffer.allocateDirect(count + 5);
        reader.read(from, direct, 5, count);
        assertThat(direct.position(5)).isEqualTo(ByteBuffer.wrap(agent.block.bytes, from, count));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"4096", "100000", "1048576"})
  void streamIsReadAhead(int step) throws Exception {
    start(usual());
    byte[] got = new byte[LENGTH];
    try (AgentBlock reader = agent.open()) {
      for (int at = 0; at < LENGTH; at += step) {
        reader.read(at, got, at, Math.min(step, LENGTH - at));
      }
    }
    assertThat(got).isEqualTo(agent.block.bytes);
    // Nothing twice, and in pieces much larger than the steps of a slow reader.
    assertThat(agent.server().counters().bytes.sum()).isEqualTo(LENGTH);
    assertThat(agent.server().counters().reads.sum()).isLessThan(40);
  }

  @Test
  void readsThatHaveNothingToDoWithEachOtherBringWhatTheyAskForOnly() throws Exception {
    start(usual());
    assertThat(agent.client.positional(agent.name(), LENGTH)).as("not open yet").isNull();
    agent.open().close();
    try (AgentBlock reader = requireNonNull(agent.client.positional(agent.name(), LENGTH))) {
      byte[] got = new byte[4096];
      for (int at = 0; at < 20 * got.length; at += got.length) {
        reader.read(at, got, 0, got.length);
        assertThat(got).isEqualTo(agent.block.range(at, got.length));
      }
    }
    assertThat(agent.server().counters().bytes.sum()).isEqualTo(20 * 4096);
    assertThat(agent.server().counters().reads.sum()).isEqualTo(20);
  }

  @Test
  void manyThreadsShareOneSession() throws Exception {
    start(usual());
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 6; thread++) {
        Random random = new Random(thread);
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 50; i++) {
                    int from = random.nextInt(LENGTH - 5000);
                    byte[] got = new byte[1 + random.nextInt(5000)];
                    try (AgentBlock reader = agent.open()) {
                      reader.read(from, got, 0, got.length);
                    }
                    assertThat(got).isEqualTo(agent.block.range(from, got.length));
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(agent.server().counters().sessions.sum()).isEqualTo(1);
    assertThat(agent.server().counters().opens.sum()).isLessThanOrEqualTo(6);
  }

  @Test
  void streamsLeftUnclosedDrainNobody() throws Exception {
    start(usual());
    for (int from = 0; from < 50_000; from += 1000) {
      byte[] got = new byte[100];
      agent.open().read(from, got, 0, 100); // keeps a lane and places for what comes behind
      assertThat(got).isEqualTo(agent.block.range(from, 100));
    }
  }

  @Test
  void mapThatHasRunOutIsReplacedWithoutTheClientKnowing() throws Exception {
    start(usual());
    agent.reads.maps.then(agent.block.map(agent.reads.clock));
    byte[] got = new byte[100];
    try (AgentBlock reader = agent.open()) {
      agent.reads.clock.advance(TestBlock.LEASE.plusSeconds(1));
      agent.reads.maps.then(agent.block.map(agent.reads.clock));
      reader.read(1000, got, 0, 100);
    }
    assertThat(got).isEqualTo(agent.block.range(1000, 100));
  }

  @Test
  void whoBeginsToReadNeedsAMapThatIsNotRecalledAndAStreamGoesOn() throws Exception {
    start(usual());
    agent.reads.clock.advance(TestBlock.LEASE.plusSeconds(1));
    FakeGuard first = new FakeGuard();
    agent.reads.maps.then(agent.block.map(first));
    byte[] got = new byte[100];
    try (AgentBlock stream = agent.open();
        AgentBlock positions = agent.open();
        AgentBlock begins = agent.open()) {
      stream.read(0, got, 0, 100);
      positions.read(1 << 20, got, 0, 100);
      first.admitNobody();
      stream.read(100, got, 0, 100);
      assertThat(got).isEqualTo(agent.block.range(100, 100));
      assertRefused(
          FallbackReason.METADATA_PLANE_UNREACHABLE, () -> positions.read(2 << 20, got, 0, 100));
      assertRefused(FallbackReason.METADATA_PLANE_UNREACHABLE, () -> begins.read(0, got, 0, 100));
      agent.reads.maps.then(agent.block.map(new FakeGuard()));
      begins.read(4096, got, 0, 100);
      assertThat(got).isEqualTo(agent.block.range(4096, 100));
    }
  }

  @Test
  void wrongByteIsFoundByTheClientAndTheAgentLooksForItself() throws Exception {
    start(usual());
    for (int i = 0; i < 4; i++) {
      agent.reads.maps.then(agent.block.map(agent.reads.clock));
    }
    agent.block.image[agent.block.placeOf(70_000)] ^= 1;
    try (AgentBlock reader = agent.open()) {
      assertRefused(
          FallbackReason.CHECKSUM_MISMATCH, () -> reader.read(69_000, new byte[2000], 0, 2000));
      byte[] got = new byte[100];
      reader.read(10, got, 0, 100);
      assertThat(got).isEqualTo(agent.block.range(10, 100));
    }
    assertThat(agent.reads.maps.rejections()).contains(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(agent.server().counters().mismatches.sum()).isPositive();
    assertThat(agent.server().counters().unfoundedMismatches.sum()).isZero();
    assertThat(agent.suspects).isNotEmpty();
  }

  @Test
  void blockThatCouldNotBeReadIsAskedForAnewByWhoeverOpensItNext() throws Exception {
    start(usual());
    try (AgentBlock reader = agent.open()) {
      agent.reads.clock.advance(TestBlock.LEASE.plusSeconds(1)); // and there are no more maps
      assertRefused(
          FallbackReason.METADATA_PLANE_UNREACHABLE, () -> reader.read(0, new byte[100], 0, 100));
    }
    assertRefused(FallbackReason.METADATA_PLANE_UNREACHABLE, agent::open);
    agent.reads.maps.then(agent.block.map(agent.reads.clock));
    byte[] got = new byte[100];
    try (AgentBlock reader = agent.open()) {
      reader.read(0, got, 0, 100);
    }
    assertThat(got).isEqualTo(agent.block.range(0, 100));
  }

  @Test
  void deviceThatDoesNotAnswerCostsNobodyTheSession() throws Exception {
    start(usual());
    byte[] got = new byte[100];
    try (AgentBlock reader = agent.open()) {
      reader.read(0, got, 0, 100);
      agent.reads.device.answers(false);
      for (int from = 1_000_000; from < 1_010_000; from += 1000) {
        int at = from;
        assertRefused(FallbackReason.DEVICE_TIMEOUT, () -> reader.read(at, got, 0, 100));
        agent.reads.maps.then(agent.block.map(agent.reads.clock)); // for each is dropped
      }
      agent.reads.device.answers(true);
    }
    try (AgentBlock reader = agent.open()) {
      reader.read(1_000_000, got, 0, 100);
    }
    assertThat(got).isEqualTo(agent.block.range(1_000_000, 100));
    assertThat(agent.server().counters().sessions.sum()).isEqualTo(1);
  }

  @Test
  void nobodyListens() throws Exception {
    start(usual());
    agent.stop();
    assertRefused(FallbackReason.AGENT_UNAVAILABLE, agent::open);
  }

  @Test
  void agentThatEndsInTheMiddleIsFollowedByTheNextOne() throws Exception {
    start(usual());
    byte[] got = new byte[LENGTH];
    try (AgentBlock reader = agent.open()) {
      reader.read(0, got, 0, 100_000);
      agent.stop();
      agent.start();
      reader.read(100_000, got, 100_000, LENGTH - 100_000);
    }
    assertThat(got).isEqualTo(agent.block.bytes);
  }

  @Test
  void agentThatIsGoneRefusesAndNothingHangs() throws Exception {
    start(usual());
    try (AgentBlock reader = agent.open()) {
      reader.read(0, new byte[1000], 0, 1000);
      agent.stop();
      assertRefused(
          FallbackReason.AGENT_UNAVAILABLE, () -> reader.read(2_000_000, new byte[1000], 0, 1000));
    }
  }

  @Test
  void nothingIsReadByAClosedReader() throws Exception {
    start(usual());
    AgentBlock reader = agent.open();
    reader.close();
    reader.close();
    assertRefused(FallbackReason.ACCESSOR_CLOSED, () -> reader.read(0, new byte[1], 0, 1));
  }

  @Test
  void shorterReplicaThanTheReaderExpectsIsRefusedAndClosed() throws Exception {
    start(usual());
    for (int i = 0; i < 2 * AgentFixture.LIMITS.openPerProcess(); i++) {
      assertRefused(
          FallbackReason.REPLICA_CHANGED, () -> agent.client.open(agent.name(), LENGTH + 1, false));
    }
    agent.open().close();
  }

  @Test
  void chunksTooLongForTheSegmentAreRefusedAndClosed() throws Exception {
    start(new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512 << 10, 4096, 100_000));
    for (int i = 0; i < 2 * AgentFixture.LIMITS.openPerProcess(); i++) {
      assertRefused(FallbackReason.CHECKSUM_UNSUPPORTED, agent::open);
    }
    assertThat(agent.server().counters().opens.sum())
        .as("opened by the agent, and refused by the client")
        .isEqualTo(2L * AgentFixture.LIMITS.openPerProcess());
  }

  private static void assertRefused(FallbackReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
