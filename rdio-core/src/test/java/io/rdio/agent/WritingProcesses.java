// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.agent.daemon.AgentCounters;
import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.BlockToWrite;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.TestBlock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Processes that write by an agent in this JVM, and what both sides are left with. */
final class WritingProcesses implements AutoCloseable {
  static final int MIB = 1 << 20;

  final AgentFixture agent;
  final Random random = new Random(1);

  WritingProcesses(TestBlock block, Path directory) throws Exception {
    agent = new AgentFixture(block, directory);
  }

  @Override
  public void close() {
    agent.close();
  }

  AgentCounters counters() {
    return agent.server().counters();
  }

  byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The agent has let go of all blocks. */
  void awaitNoWrites() {
    await()
        .untilAsserted(
            () -> {
              assertThat(counters().openWrites).hasValue(0);
              assertThat(counters().checksumBytes).hasValue(0);
            });
  }

  /** A small block, which arrives. */
  void writeAll(AgentClient client) throws FallbackException {
    byte[] bytes = bytes(20_000);
    try (AgentBlockWriter writer = client.allocate(toWrite(MIB))) {
      writer.write(bytes, 0, bytes.length);
      assertThat(writer.commit(1)).isEqualTo(7);
    }
    assertThat(agent.writes.last().data()).isEqualTo(bytes);
  }

  static WriteTarget target(int number, String token) {
    return new WriteTarget(
        "dn" + number, 9866, 9864, "DS-" + number, token.getBytes(StandardCharsets.US_ASCII));
  }

  static BlockToWrite toWrite(long bytes, ChecksumSpec.Type type, int chunk) {
    return new BlockToWrite(
        "BP-1",
        7,
        8,
        "/file",
        bytes,
        type,
        chunk,
        List.of(target(1, "mine"), target(2, "mine"), target(3, "other")));
  }

  static BlockToWrite toWrite(long bytes) {
    return toWrite(bytes, ChecksumSpec.Type.CRC32C, 512);
  }

  /** Of that file, to these targets. */
  static BlockToWrite named(String file, List<WriteTarget> targets) {
    return new BlockToWrite("BP-1", 7, 8, file, MIB, ChecksumSpec.Type.CRC32C, 512, targets);
  }

  static void assertRefused(FallbackReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
