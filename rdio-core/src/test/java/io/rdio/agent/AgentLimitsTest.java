// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentProbe;
import io.rdio.agent.ipc.BlockName;
import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.TestBlock;
import io.rdio.nativeio.LocalSocket;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process cannot do to the agent, or to who else reads by it. */
class AgentLimitsTest {
  private static final int LENGTH = 1 << 20;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private @TempDir Path directory;
  private AgentFixture agent;

  private void start() throws IOException {
    agent = new AgentFixture(block, directory);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  private void othersAreServed() throws FallbackException {
    byte[] got = new byte[5000];
    try (AgentBlock reader = agent.open()) {
      reader.read(100, got, 0, got.length);
    }
    assertThat(got).isEqualTo(block.range(100, got.length));
  }

  @Test
  void tokenIsCheckedBeforeAnythingIsSaid() throws Exception {
    AtomicBoolean valid = new AtomicBoolean();
    byte[] token = "mine".getBytes(StandardCharsets.US_ASCII);
    agent =
        new AgentFixture(
            block,
            directory,
            AgentFixture.LIMITS,
            request -> {
              if (!valid.get() || request.token().length != token.length) {
                throw new FallbackException(FallbackReason.TOKEN_REFUSED, "not this one");
              }
              return Long.MAX_VALUE;
            });

    assertRefused(
        FallbackReason.TOKEN_REFUSED, () -> agent.client.open(agent.name(token), LENGTH, false));
    valid.set(true);
    assertRefused(FallbackReason.TOKEN_REFUSED, agent::open);
    agent.client.open(agent.name(token), LENGTH, false).close();
  }

  @Test
  void rightThatRunsOutIsAskedForAnew() throws Exception {
    AtomicBoolean refused = new AtomicBoolean();
    agent =
        new AgentFixture(
            block,
            directory,
            AgentFixture.LIMITS,
            request -> {
              if (refused.get()) {
                throw new FallbackException(FallbackReason.TOKEN_REFUSED, "expired");
              }
              return System.currentTimeMillis() - 1; // over when the first read comes
            });
    try (AgentBlock reader = agent.open()) {
      refused.set(true);
      assertRefused(FallbackReason.TOKEN_REFUSED, () -> reader.read(0, new byte[100], 0, 100));
    }
  }

  /** Once the agent has counted enough of the ones before off: it hears later that they ended. */
  private RawLane nextLane() throws IOException {
    await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .until(() -> agent.server().counters().lanes.get() < AgentFixture.LIMITS.lanesPerUser());
    return RawLane.connect(agent.socket);
  }

  @Test
  void garbageEndsItsLaneOnly() throws Exception {
    start();
    Random random = new Random(1);
    for (int i = 0; i < 300; i++) {
      try (RawLane lane = nextLane()) {
        byte[] message = new byte[1 + random.nextInt(200)];
        random.nextBytes(message);
        lane.send(message);
        assertThatThrownBy(lane::receive).isInstanceOf(EOFException.class);
      }
    }
    assertThat(agent.server().counters().malformed.sum()).isEqualTo(300);
    assertThat(agent.server().counters().failures.sum()).isZero();
    othersAreServed();
  }

  /** After a proper HELLO: any kind, any fields, in any order. */
  @Test
  void garbageBehindAHelloEndsItsLaneOnly() throws Exception {
    start();
    Random random = new Random(2);
    for (int i = 0; i < 300; i++) {
      try (RawLane lane = nextLane()) {
        lane.hello();
        for (int message = 0; message < 20 && lane.isOpen(); message++) {
          lane.sendRandom(random);
        }
      }
    }
    assertThat(agent.server().counters().failures.sum()).isZero();
    othersAreServed();
  }

  @Test
  void readsGoNowhereButIntoTheSegment() throws Exception {
    start();
    for (int[] place :
        new int[][] {
          {0, 300_000}, {4096, -1}, {4096, Integer.MAX_VALUE}, {-4096, 300_000}, {5000, 9}
        }) {
      try (RawLane lane = RawLane.connect(agent.socket)) {
        lane.hello();
        lane.share(1 << 20);
        int handle = lane.open(agent.name());
        lane.read(handle, 0, 4096, place[0], place[1]);
        assertThatThrownBy(lane::receive).isInstanceOf(EOFException.class);
      }
    }
    othersAreServed();
  }

  @Test
  void memoryThatCouldBeTakenAwayIsNotShared() throws Exception {
    start();
    try (RawLane lane = RawLane.connect(agent.socket)) {
      lane.hello();
      assertThat(lane.shareDescriptorOfASocket()).contains("AGENT_UNAVAILABLE");
      assertThat(lane.shareWrongLength(1 << 20)).contains("AGENT_UNAVAILABLE");
      assertThat(lane.shareTooMuch(AgentFixture.LIMITS.segmentBytes() + 4096))
          .contains("AGENT_BUSY");
    }
    await().until(() -> agent.server().counters().lanes.get() == 0);
    assertThat(agent.server().counters().segmentBytes.get()).isZero();
    othersAreServed();
  }

  @Test
  void processThatSharesTwiceIsTurnedAwayByItsName() throws Exception {
    start();
    try (RawLane lane = RawLane.connect(agent.socket)) {
      lane.hello();
      lane.share(1 << 20);
      assertThatThrownBy(() -> lane.share(1 << 20))
          .hasMessageMatching(
              "AGENT_BUSY: process "
                  + ProcessHandle.current().pid()
                  + " of user [0-9]+ \\(raw\\) has a segment already");
    }
  }

  @Test
  void userHasSoManyLanesAndNoMore() throws Exception {
    start();
    List<RawLane> lanes = new ArrayList<>();
    try {
      for (int i = 0; i < AgentFixture.LIMITS.lanesPerUser(); i++) {
        RawLane lane = RawLane.connect(agent.socket);
        lanes.add(lane);
        lane.hello();
      }
      for (int i = 0; i < 50; i++) { // whoever is faster, agent or process
        try (RawLane tooMany = RawLane.connect(agent.socket)) {
          Frame answer = tooMany.receive();
          assertThat(answer.kind()).isEqualTo(Protocol.REFUSED);
          assertThat(answer.getText(Protocol.NAME_MAX)).isEqualTo("AGENT_BUSY");
          assertThat(answer.getText(Protocol.DETAIL_MAX)).startsWith("12 of 12 lanes are user ");
        }
        assertRefused(FallbackReason.AGENT_BUSY, () -> status());
      }
    } finally {
      for (RawLane lane : lanes) {
        lane.close();
      }
    }
    await().until(() -> agent.server().counters().lanes.get() == 0);
    assertThat(agent.server().counters().processes.get()).isZero();
    othersAreServed();
  }

  private String status() throws FallbackException {
    return AgentProbe.status(agent.socket.toString(), TimeUnit.SECONDS.toNanos(60));
  }

  /** Whoever asks whether the agent is alive waits behind them, and may find no place at all. */
  @Test
  void floodOfConnectionsDoesNotMakeItLookDead() throws Exception {
    start();
    AtomicBoolean enough = new AtomicBoolean();
    List<Thread> flood = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> connectUntil(enough), "flood-" + i);
      flood.add(thread);
      thread.start();
    }
    try {
      for (int i = 0; i < 100; i++) {
        agent.server().requireAnswering(Duration.ofSeconds(30));
      }
    } finally {
      enough.set(true);
      for (Thread thread : flood) {
        Patience.join(thread);
      }
    }
    assertThat(agent.server().counters().failures.sum()).isZero();
    othersAreServedInTheEnd();
  }

  private void connectUntil(AtomicBoolean enough) {
    int[] connections = new int[200];
    while (!enough.get()) {
      for (int i = 0; i < connections.length; i++) {
        connections[i] = LocalSocket.connect(agent.socket.toString(), 0);
      }
      for (int connection : connections) {
        if (connection >= 0) {
          LocalSocket.close(connection);
        }
      }
    }
  }

  private void othersAreServedInTheEnd() {
    await()
        .untilAsserted(
            () -> {
              try {
                othersAreServed();
              } catch (FallbackException e) {
                throw new AssertionError(e);
              }
            });
  }

  @Test
  void statusTakesNoSession() throws Exception {
    start();
    othersAreServed();
    assertThat(status()).contains("rdio_agent_processes 1\n", "rdio_agent_sessions_total 1\n");
    agent.stop();
    assertRefused(FallbackReason.AGENT_UNAVAILABLE, this::status);
  }

  private AgentFixture with(int lanes, int open, long segmentBytes) throws IOException {
    AgentLimits usual = AgentFixture.LIMITS;
    return new AgentFixture(
        block,
        directory,
        new AgentLimits(
            usual.lanesPerProcess(),
            usual.lanes(),
            lanes,
            open,
            usual.segmentBytes(),
            segmentBytes,
            usual.patience(),
            usual.idle(),
            usual.writes()),
        request -> Long.MAX_VALUE);
  }

  @Test
  void whoIsTurnedAwayKnowsWhyAndComesBackLater() throws Exception {
    agent = with(1, 8, 4L << 20);
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      assertRefused(FallbackReason.AGENT_BUSY, agent::open);
      long asked = agent.server().counters().refusals(FallbackReason.AGENT_BUSY);
      assertRefused(FallbackReason.AGENT_BUSY, agent::open);
      assertThat(agent.server().counters().refusals(FallbackReason.AGENT_BUSY))
          .as("asked again at once")
          .isEqualTo(asked);
    }
    await().ignoreExceptions().until(() -> agent.open() != null);
    othersAreServed();
  }

  @Test
  void processWithoutAFurtherLaneUsesTheOneThatItHas() throws Exception {
    agent = with(2, 8, 4L << 20);
    try (RawLane other = RawLane.connect(agent.socket);
        AgentBlock first = agent.open()) {
      other.hello();
      first.read(0, new byte[100], 0, 100); // keeps the lane for what comes behind
      othersAreServed();
      assertThat(agent.server().counters().refusals(FallbackReason.AGENT_BUSY)).isEqualTo(1);
      byte[] got = new byte[100];
      first.read(100, got, 0, 100);
      assertThat(got).isEqualTo(block.range(100, 100));
    }
  }

  @Test
  void memoryThatAUserHasAlreadyIsNotGivenTwice() throws Exception {
    agent = with(12, 8, 1L << 20);
    try (RawLane other = RawLane.connect(agent.socket)) {
      other.hello();
      other.share(1 << 20);
      assertRefused(FallbackReason.AGENT_BUSY, agent::open);
    }
  }

  @Test
  void processHasSoManyBlocksOpenAndNoMore() throws Exception {
    agent = with(12, 3, 4L << 20);
    try (RawLane lane = RawLane.connect(agent.socket)) {
      lane.hello();
      for (int i = 0; i < 3; i++) {
        lane.open(agent.name());
      }
      assertThatThrownBy(() -> lane.open(agent.name())).hasMessage("AGENT_BUSY");
    }
    othersAreServed();
  }

  @Test
  void processClosesBlocksToOpenOthers() throws Exception {
    agent = with(12, 3, 4L << 20);
    for (int i = 0; i < 20; i++) {
      BlockName name = new BlockName(block.key.poolId(), i % 7, 1, true, "/f", new byte[0]);
      byte[] got = new byte[100];
      try (AgentBlock reader = agent.client.open(name, LENGTH, false)) {
        reader.read(i, got, 0, got.length);
      }
      assertThat(got).isEqualTo(block.range(i, got.length));
    }
    assertThat(agent.server().counters().refusals(FallbackReason.AGENT_BUSY)).isZero();
  }

  @Test
  void nobodyJoinsASessionWithoutItsKey() throws Exception {
    start();
    try (RawLane lane = RawLane.connect(agent.socket)) {
      long session = lane.hello();
      try (RawLane other = RawLane.connect(agent.socket)) {
        assertThat(other.join(session, new byte[16])).contains("AGENT_UNAVAILABLE");
      }
    }
  }

  private static void assertRefused(FallbackReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
