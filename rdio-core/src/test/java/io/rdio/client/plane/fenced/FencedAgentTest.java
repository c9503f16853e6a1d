// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.DeferredQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of fenced volumes by the agent: for processes that may do nothing of it themselves. */
final class FencedAgentTest {
  private static final long SEED = 20261129;
  private static final Path NODE = Path.of("/dev/nvme7n1");
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final BlockKey BLOCK = new BlockKey(POOL, 1, 1001);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir Path directory;
  @TempDir Path sockets;

  private final FakeFences fences = new FakeFences(NODE);
  private final byte[] bytes = new byte[100_000];
  private FakeCopies copies;
  private FencedAgent agent;

  @BeforeEach
  void makeVolume() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    new Random(SEED).nextBytes(bytes);
    copies = new FakeCopies(directory);
    copies.storage("data", FencedAgent.STORAGE);
    copies.replica("data", BLOCK, bytes);
    start(MINUTE);
  }

  private void start(Duration patience) throws IOException {
    FencedVolume.Means means =
        new FencedVolume.Means(
            new FenceLooks(fences, Duration.ZERO),
            copies,
            node -> copies.device(),
            new StorageOwners(Set.of(copies.owner())));
    agent = new FencedAgent(means, sockets, patience, () -> new DeferredQueue(SEED));
  }

  @AfterEach
  void close() {
    agent.close();
  }

  private static FallbackException refusal(ThrowingCallable read) {
    return catchThrowableOfType(FallbackException.class, read);
  }

  /** Of a file, and of an erasure-coded one. */
  @ParameterizedTest
  @ValueSource(longs = {77, Long.MIN_VALUE + 77})
  void blockOfDeadDataNode(long id) throws Exception {
    BlockKey block = new BlockKey(POOL, id, 1002);
    byte[] cell = Arrays.copyOf(bytes, 50_001);
    copies.replica("data", block, cell);
    assertThat(agent.read(block, cell.length)).isEqualTo(cell);
  }

  /** Nobody has looked since but the read itself, behind its last byte. */
  @Test
  void whoHasItOpenGetsNoByteBehindTheFence() throws Exception {
    try (AgentBlock reader = agent.open(BLOCK, bytes.length)) {
      byte[] got = new byte[1000];
      reader.read(0, got, 0, got.length);
      assertThat(got).isEqualTo(Arrays.copyOf(bytes, got.length));
    }
    try (AgentBlock reader = agent.open(BLOCK, bytes.length)) {
      fences.undo("given back");
      byte[] none = new byte[bytes.length];
      FallbackException refused = refusal(() -> reader.read(0, none, 0, none.length));
      assertThat(refused.reason()).isEqualTo(FallbackReason.XFS_NEEDS_DATANODE);
      assertThat(refused.detail()).contains("given back");
      assertThat(none).containsOnly(0);
    }
    assertThat(refusal(() -> agent.read(BLOCK, bytes.length)).detail()).contains("given back");
  }

  /** As soon as the copy is made. */
  private void awaitBytes() throws FallbackException {
    long deadline = System.nanoTime() + MINUTE.toNanos();
    byte[] got = null;
    while (got == null) {
      try {
        got = agent.read(BLOCK, bytes.length);
      } catch (FallbackException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
    assertThat(got).isEqualTo(bytes);
  }

  @Test
  void mapsGoSoonWhenTheFenceIsUndoneAlsoOfWhatNobodyReads() throws Exception {
    agent.maps.start();
    assertThat(agent.read(BLOCK, bytes.length)).isEqualTo(bytes);
    assertThat(agent.maps.leasesHeld()).isEqualTo(1);
    fences.undo("given back");
    long deadline = System.nanoTime() + MINUTE.toNanos();
    while (agent.maps.leasesHeld() > 0 || agent.maps.size() > 0) {
      assertThat(System.nanoTime() - deadline).as("maps are held still").isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** Refused while the copy is made, and not left without an answer: others read by the lane. */
  @Test
  void copyThatTakesLongRefusesItsReadersInTime() throws Exception {
    agent.close();
    CountDownLatch ready = new CountDownLatch(1);
    copies.whileMaking(
        node -> {
          try {
            ready.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    start(Duration.ofMillis(20));
    try {
      FallbackException refused = refusal(() -> agent.read(BLOCK, bytes.length));
      assertThat(refused.reason()).isEqualTo(FallbackReason.XFS_NEEDS_DATANODE);
      assertThat(refused.detail()).contains("is being copied");
    } finally {
      ready.countDown();
    }
    awaitBytes();
  }
}
