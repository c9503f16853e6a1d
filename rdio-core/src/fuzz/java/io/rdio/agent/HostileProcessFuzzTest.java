// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.agent.daemon.AgentCounters;
import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.awaitility.core.ThrowingRunnable;

/**
 * Whatever a process does to the agent: it gets no byte but where it asked for bytes, what it had
 * is free when it is gone, and who behaves is served meanwhile.
 */
class HostileProcessFuzzTest {
  private static final int LENGTH = 1 << 20;
  private static final int STEPS_MAX = 200;
  private static final int OTHERS_EVERY = 8;

  /** Of what one read by others may take, and of what the agent still has to do at the end. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  private static AgentFixture agent;
  private static Path directory;

  @BeforeContainer
  static void start() throws Exception {
    directory = Files.createTempDirectory("rdio-fuzz");
    AgentLimits usual = AgentFixture.LIMITS;
    agent =
        new AgentFixture(
            new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000),
            directory,
            new AgentLimits(
                usual.lanesPerProcess(),
                usual.lanes(),
                usual.lanesPerUser(),
                usual.openPerProcess(),
                usual.segmentBytes(),
                usual.segmentBytesPerUser(),
                usual.patience(),
                Duration.ofMillis(1), // unused memory is taken back all the time
                usual.writes()),
            request -> Long.MAX_VALUE);
    agent.writes.failsAt = 100_000; // of some blocks
    agent.writes.survivors = 0;
    othersAreServed(0); // which begins their session, once for all
  }

  @AfterContainer
  static void stop() throws IOException {
    AgentCounters counters = agent.server().counters();
    end();
    assertThat(counters.lanes).hasValue(0);
    assertThat(counters.segmentBytes).hasValue(0);
  }

  /** Ends the agent, and does not look at what it leaves. */
  static void end() throws IOException {
    agent.close();
    Files.delete(directory);
  }

  private static void othersAreServed(int offset) throws FallbackException {
    byte[] got = new byte[5000];
    int from = offset % (LENGTH - got.length);
    long begun = System.nanoTime();
    try (AgentBlock reader = agent.open()) {
      reader.read(from, got, 0, got.length);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BOUND);
    assertThat(got).isEqualTo(agent.block.range(from, got.length));
  }

  @Property(tries = 300)
  void processHarmsNobodyButItself(@ForAll("choices") byte[] choices) throws Exception {
    play(choices);
  }

  /** Jazzer found it: a segment so short says nothing of whether it is used. */
  @Example
  void segmentOfOneByteIsScribbledTo() {
    try (HostileSegment segment = new HostileSegment(1)) {
      segment.scribble(5, new byte[] {1, 2});
      segment.requireUntouched();
    }
  }

  @Provide
  Arbitrary<byte[]> choices() {
    return Script.any(1000);
  }

  static void play(byte[] choices) throws Exception {
    OpenFiles before = OpenFiles.now();
    AgentCounters counters = agent.server().counters();
    long segmentBytes = counters.segmentBytes.get();
    Script script = new Script(choices);
    try (HostileProcess hostile = new HostileProcess(agent, script)) {
      for (int step = 0; script.hasNext() && step < STEPS_MAX; step++) {
        hostile.step();
        if (step % OTHERS_EVERY == 0) {
          othersAreServed(script.number());
        }
      }
      hostile.leave();
      soon(
          () -> {
            assertThat(counters.lanes).hasValue(1);
            assertThat(counters.processes).hasValue(1);
            assertThat(counters.segmentBytes).hasValue(segmentBytes);
            assertThat(counters.openWrites).hasValue(0);
            assertThat(counters.checksumBytes).hasValue(0);
            assertThat(agent.writes.blocks).allMatch(FakeWrites.Block::isClosed);
          });
      agent.writes.blocks.clear();
      hostile.requireUntouched();
      othersAreServed(choices.length);
    }
    assertThat(counters.failures.sum()).as("failures of the agent").isZero();
    soon(
        () -> {
          OpenFiles now = OpenFiles.now();
          assertThat(now.isMoreThan(before)).as("%s is left behind, of %s", now, before).isFalse();
        });
  }

  /** The agent may have to accept a lane yet that was left at once. */
  private static void soon(ThrowingRunnable check) {
    await().atMost(BOUND).pollInterval(Duration.ofMillis(2)).untilAsserted(check);
  }
}
