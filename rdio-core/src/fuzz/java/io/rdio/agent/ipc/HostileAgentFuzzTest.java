// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.agent.HostileAgent;
import io.rdio.agent.OpenFiles;
import io.rdio.agent.Script;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/**
 * Whatever answers at the agent's socket: a reader gets its bytes or a FallbackException, soon,
 * with nothing written beside its target, and keeps nothing once it is closed.
 */
class HostileAgentFuzzTest {
  private static final int LENGTH = 1 << 20;
  private static final int BLOCKS = 6;
  private static final byte GUARD = 0x5a;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final TestBlock BLOCK =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);

  // Reads of all plays until now, by how they ended.
  private static final AtomicLong SERVED = new AtomicLong();
  private static final AtomicLong REFUSED = new AtomicLong();

  private static Path directory;

  @BeforeContainer
  static void load() throws IOException {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    directory = Files.createTempDirectory("rdio-fuzz");
  }

  @AfterContainer
  static void end() throws IOException {
    Files.delete(directory);
  }

  /** Else the plays could be all refusals. */
  @Example
  void agentThatNeverLiesServesEveryRead() throws Exception {
    byte[] choices = new byte[1000];
    new Random(7).nextBytes(choices);
    long servedBefore = SERVED.get();
    long refusedBefore = REFUSED.get();
    play(new Script(choices), new Script(new byte[0]), TimeUnit.SECONDS.toNanos(10));
    assertThat(SERVED.get() - servedBefore).isGreaterThan(20);
    assertThat(REFUSED).hasValue(refusedBefore);
  }

  @Property(tries = 100)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void readerIsServedOrRefused(@ForAll("choices") byte[] choices) throws Exception {
    Script script = new Script(choices);
    long before = SERVED.get();
    play(script, script.from(choices.length / 2), PATIENCE_NANOS);
    Statistics.collect(SERVED.get() > before);
    Statistics.coverage(plays -> plays.check(true).count(some -> some > 0));
  }

  @Provide
  Arbitrary<byte[]> choices() {
    return Script.any(1000);
  }

  static void play(Script script, Script agents, long patienceNanos) throws Exception {
    OpenFiles before = OpenFiles.now();
    Path socket = directory.resolve("agent.sock");
    try (HostileAgent agent = new HostileAgent(socket, BLOCK, agents)) {
      while (script.hasNext()) {
        AgentClient client =
            new AgentClient(
                new AgentSettings(
                    socket.toString(), "fuzz", 2 << 20, patienceNanos, 64 << 10, 0, patienceNanos));
        long begun = System.nanoTime();
        read(client, script, agent);
        client.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(BOUND);
      }
    } finally {
      Files.delete(socket);
    }
    await()
        .atMost(BOUND)
        .pollInterval(Duration.ofMillis(2))
        .untilAsserted(
            () -> {
              OpenFiles now = OpenFiles.now();
              assertThat(now.isMoreThan(before)).as("%s is left, of %s", now, before).isFalse();
            });
  }

  /** Some reads of some blocks, some of them at the same time. */
  private static void read(AgentClient client, Script script, HostileAgent agent) {
    AgentBlock[] readers = new AgentBlock[2];
    for (int i = 0; script.hasNext() && i < 20; i++) {
      int which = script.choice(readers.length);
      try {
        if (script.happens(15)) {
          writeOnce(client, script);
        }
        if (readers[which] == null || script.happens(20)) {
          close(readers[which]);
          readers[which] = null;
          readers[which] = client.open(name(script.choice(BLOCKS)), LENGTH, script.happens(50));
        }
        readOnce(readers[which], script, agent);
      } catch (FallbackException e) {
        REFUSED.incrementAndGet();
        if (script.happens(50)) {
          break; // or the back-off makes this a short play
        }
      }
    }
    for (AgentBlock reader : readers) {
      close(reader);
    }
  }

  private static void writeOnce(AgentClient client, Script script) throws FallbackException {
    WriteTarget target = new WriteTarget("dn", 9866, 9864, "DS-1", new byte[0]);
    BlockToWrite block =
        new BlockToWrite(
            BLOCK.key.poolId(),
            1,
            1,
            "/f",
            4 << 20,
            ChecksumSpec.Type.CRC32C,
            512,
            List.of(target));
    byte[] bytes = new byte[1 + script.number() % (4 << 20)];
    try (AgentBlockWriter writer = client.allocate(block)) {
      writer.write(bytes, 0, bytes.length);
      if (script.happens(80)) {
        assertThat(writer.commit(1)).isEqualTo(1);
      }
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("there is room for"); // by what the agent says
    }
    SERVED.incrementAndGet();
  }

  private static void close(AgentBlock reader) {
    if (reader != null) {
      reader.close();
    }
  }

  private static BlockName name(long id) {
    return new BlockName(BLOCK.key.poolId(), id, 1, true, "/f", new byte[0]);
  }

  private static void readOnce(AgentBlock reader, Script script, HostileAgent agent)
      throws FallbackException {
    int from = script.number() % LENGTH;
    int count = 1 + script.number() % Math.min(LENGTH - from, script.happens(20) ? LENGTH : 9000);
    int at = script.choice(100);
    byte[] target = new byte[count + at + 100];
    Arrays.fill(target, GUARD);
    try {
      if (script.happens(50)) {
        reader.read(from, target, at, count);
      } else {
        ByteBuffer direct = ByteBuffer.allocateDirect(target.length).put(0, target);
        try {
          reader.read(from, direct, at, count);
        } finally {
          direct.get(0, target);
        }
      }
      SERVED.incrementAndGet();
      if (!agent.hasLied()) {
        assertThat(ByteBuffer.wrap(target, at, count))
            .isEqualTo(ByteBuffer.wrap(BLOCK.bytes, from, count));
      }
    } finally {
      requireGuard(target, 0, at);
      requireGuard(target, at + count, target.length);
    }
  }

  private static void requireGuard(byte[] target, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(target[i]).as("byte beside the target").isEqualTo(GUARD);
    }
  }
}
