// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.RawLane;
import io.rdio.client.plane.FileMap;
import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.Patience;
import io.rdio.core.testing.TestBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process writes to its segment while the agent reads for it concerns nobody else. */
class ScribbledSegmentTest {
  private static final int LENGTH = (1 << 20) + 77;
  private static final int CHUNK = 64 << 10;
  private static final int CHUNKS = LENGTH / CHUNK + 1;
  private static final int DATA_AT = 4096;
  private static final int CRC_AT = 512 << 10;

  private @TempDir Path directory;
  private AgentFixture agent;
  private AgentClient other;

  @BeforeEach
  void start() throws IOException {
    TestBlock block = new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
    agent =
        new AgentFixture(
            block, directory, AgentFixture.LIMITS, request -> Long.MAX_VALUE, 4L * LENGTH, CHUNK);
    other = agent.anotherProcess();
  }

  @AfterEach
  void close() {
    other.close();
    agent.close();
    agent.cache().close();
  }

  /** All the time. */
  @Test
  void processThatScribblesOverItsSegmentPoisonsNothing() throws Exception {
    FileMap map = agent.reads.maps.get(agent.block.request);
    AtomicBoolean stop = new AtomicBoolean();
    try (RawLane lane = RawLane.connect(agent.socket)) {
      lane.hello();
      ByteBuffer segment = lane.shareMapped(1 << 20);
      Thread scribbler = new Thread(() -> scribble(segment, stop));
      scribbler.start();
      try {
        int handle = lane.open(agent.name());
        for (int round = 0; round < 30; round++) {
          agent.cache().drop(map);
          readTwice(lane, handle, round % 2 == 0 ? 4096 : CHUNK);
          assertAllIsCachedAndRight();
        }
      } finally {
        stop.set(true);
        Patience.join(scribbler);
      }
    }
    int reads = agent.reads.device.reads();
    assertOtherHasIt();
    assertThat(agent.reads.device.reads()).isEqualTo(reads);
    assertThat(mismatches()).isZero();
  }

  /** Each time that bytes have come from the device and are not looked at yet. */
  @Test
  void processThatScribblesInTheWorstMomentPoisonsNothing() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (RawLane lane = RawLane.connect(agent.socket)) {
      lane.hello();
      ByteBuffer segment = lane.shareMapped(1 << 20);
      int handle = lane.open(agent.name());
      RdioClientFaultInjector.set(
          new RdioClientFaultInjector() {
            @Override
            public void beforeLeaseRecheck(FileMap map) {
              scribble(segment, times.incrementAndGet());
            }
          });
      readTwice(lane, handle, CHUNK);
    } finally {
      RdioClientFaultInjector.reset();
    }
    assertThat(times).hasValueGreaterThanOrEqualTo(2 * CHUNKS);
    assertAllIsCachedAndRight();
    assertOtherHasIt();
    assertThat(mismatches()).isZero();
  }

  private static void scribble(ByteBuffer segment, AtomicBoolean stop) {
    for (long value = 1; !stop.get(); value++) {
      scribble(segment, value);
    }
  }

  private static void scribble(ByteBuffer segment, long value) {
    for (int at = DATA_AT; at < DATA_AT + CHUNK; at += Long.BYTES) {
      segment.putLong(at, value);
    }
    for (int at = CRC_AT; at < CRC_AT + 512; at += Long.BYTES) {
      segment.putLong(at, value);
    }
  }

  private static void readTwice(RawLane lane, int handle, int length) throws IOException {
    for (int i = 0; i < 2 * CHUNKS; i++) {
      int from = i / 2 * CHUNK;
      int count = Math.min(length, LENGTH - from);
      assertThat(lane.readAgainAndAgain(handle, from, count, DATA_AT, CRC_AT))
          .isEqualTo("kind " + Protocol.DONE);
    }
  }

  private void assertAllIsCachedAndRight() {
    byte[] kept = new byte[LENGTH];
    assertThat(agent.cache().read(agent.block.map(agent.reads.clock), 0, kept, 0, LENGTH))
        .isEqualTo(LENGTH);
    assertThat(kept).isEqualTo(agent.block.bytes);
  }

  private void assertOtherHasIt() throws FallbackException {
    byte[] got = new byte[LENGTH];
    try (AgentBlock reader = other.open(agent.name(), LENGTH, false)) {
      reader.read(0, got, 0, LENGTH);
    }
    assertThat(got).isEqualTo(agent.block.bytes);
  }

  private long mismatches() {
    return agent.server().figures().get("mismatches_total");
  }
}
