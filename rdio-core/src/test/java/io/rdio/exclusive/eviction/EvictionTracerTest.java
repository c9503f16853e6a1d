// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.testing.ManualClock;
import io.rdio.exclusive.wire.CachedDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * From a source to the storage agent, which may be away; in one thread and on a clock that stands.
 */
final class EvictionTracerTest {
  private static final int KEPT = 10;
  private static final long BLOCK = 4096;

  /** A source whose evictions the test makes up. */
  private static final class MadeUp implements EvictionSource {
    @Nullable Listener listener;
    int tracedIndex = -1;
    boolean closed;

    @Override
    public void start(Listener told) {
      listener = told;
    }

    @Override
    public void traced(int index, TracedDevice device) {
      tracedIndex = index;
    }

    @Override
    public void untraced(int index) {
      tracedIndex = -1;
    }

    @Override
    public void close() {
      closed = true;
    }

    void evict(long firstBlock, int blocks) {
      if (listener != null) {
        listener.evicted(
            new Eviction.OfDevice(Math.max(0, tracedIndex), firstBlock * BLOCK, blocks * BLOCK));
      }
    }
  }

  private final ManualClock clock = new ManualClock();
  private final MadeUp source = new MadeUp();
  private final String name = UUID.randomUUID().toString();
  private final int[] epoch = new int[1];
  private @Nullable Server server;
  private EvictionTracer tracer = tracer();

  private EvictionTracer tracer() {
    ExtentEpochs epochs =
        new ExtentEpochs() {
          @Override
          public int slot(int kernelDevice, long inode) {
            return 0;
          }

          @Override
          public int epoch(int slot) {
            return epoch[0];
          }
        };
    return new EvictionTracer(
        new EvictionTracer.Settings(
            Duration.ofMillis(100), 0, 100, KEPT, 1000, Duration.ofSeconds(10)),
        InProcessChannelBuilder.forName(name).directExecutor().build(),
        name,
        cached ->
            cached.stream()
                .map(device -> new TracedDevice(device, 0, Optional.empty(), Optional.empty()))
                .toList(),
        epochs,
        List.of(source),
        clock);
  }

  @BeforeEach
  void start() throws IOException {
    tracer.startSources();
  }

  @AfterEach
  void stop() {
    tracer.close();
    if (server != null) {
      server.shutdownNow();
    }
    assertThat(source.closed).isTrue();
  }

  private RecordingStorage storage(CachedDevice.Builder... devices) throws IOException {
    RecordingStorage storage =
        new RecordingStorage(
            java.util.Arrays.stream(devices)
                .map(CachedDevice.Builder::build)
                .toArray(CachedDevice[]::new));
    server =
        InProcessServerBuilder.forName(name).directExecutor().addService(storage).build().start();
    return storage;
  }

  private void turn() {
    clock.advance(Duration.ofSeconds(1));
    tracer.tick();
  }

  private static BitSet blocks(int from, int to) {
    BitSet blocks = new BitSet();
    blocks.set(from, to);
    return blocks;
  }

  @Test
  void evictionsReachTheAgent() throws IOException {
    RecordingStorage storage = storage(RecordingStorage.device(3));
    turn();
    turn();
    source.evict(5, 30);
    turn();

    assertThat(storage.blocksOf(3)).isEqualTo(blocks(5, 35));
    assertThat(tracer.counters().sentBlocks.sum()).isEqualTo(30);
    assertThat(tracer.counters().sentBytes.sum()).isBetween(20L, 60L);
    assertThat(tracer.counters().streams.sum()).isEqualTo(1);
  }

  @Test
  void blocksBehindTheDevicesEndAreLeftOut() throws IOException {
    RecordingStorage storage = storage(RecordingStorage.device(3).setBlocks(32));
    turn();
    source.evict(28, 30);
    turn();
    turn();

    assertThat(storage.blocksOf(3)).isEqualTo(blocks(28, 32));
  }

  @Test
  void whileTheAgentIsAwayTheNewestAreKept() throws IOException {
    RecordingStorage first = storage(RecordingStorage.device(3));
    turn();
    turn();
    first.breakStreams();
    if (server != null) {
      server.shutdownNow();
    }
    turn();
    for (int i = 0; i < KEPT + 5; i++) {
      source.evict(16L * i, 8);
    }
    turn();
    assertThat(tracer.counters().lostBlocks.sum()).isEqualTo(5 * 8);
    assertThat(tracer.counters().brokenStreams.sum()).isPositive();

    // Another agent, that numbers the device otherwise.
    RecordingStorage second = storage(RecordingStorage.device(9));
    for (int i = 0; i < 30; i++) {
      turn();
    }

    assertThat(second.blocksOf(9).cardinality()).isEqualTo(KEPT * 8);
    assertThat(second.blocksOf(9).nextSetBit(0)).isEqualTo(5 * 16);
    assertThat(tracer.counters().sentBlocks.sum()).isEqualTo(KEPT * 8);
  }

  @Test
  void agentThatIsAwayIsAskedLessAndLessOften() {
    for (int i = 0; i < 60; i++) {
      turn();
    }

    // After 0.2, 0.4, ... 6.4 and then each 10 s, in turns of a second.
    assertThat(tracer.counters().brokenStreams.sum()).isBetween(8L, 13L);
  }

  @Test
  void deviceThatIsNotThereAnyMoreIsNotTraced() throws IOException {
    storage(RecordingStorage.device(3));
    turn();
    turn();
    assertThat(source.tracedIndex).isZero();
    if (server != null) {
      server.shutdownNow();
    }
    turn();
    storage();
    for (int i = 0; i < 30; i++) {
      turn();
    }

    assertThat(source.tracedIndex).isEqualTo(-1);
    assertThat(tracer.traced()).isEmpty();
  }

  @Test
  void unusableUnitsAreNotTraced() {
    for (CachedDevice.Builder device :
        List.of(
            RecordingStorage.device(1).setBlockBytes(3000),
            RecordingStorage.device(1).setBlockBytes(256).setSegmentBytes(256),
            RecordingStorage.device(1).setSegmentBytes(2048),
            RecordingStorage.device(1).setSegmentBytes(1 << 20),
            RecordingStorage.device(1).setBlocks(0))) {
      TracedDevice traced = new TracedDevice(device.build(), 0, Optional.empty(), Optional.empty());
      assertThat(traced.isUsable()).as("%s", device).isFalse();
    }
  }

  @Test
  void whatChangedWhileItWaitedIsNotSent() throws IOException {
    EvictionCounters counters = new EvictionCounters();
    ExtentEpochs epochs =
        new ExtentEpochs() {
          @Override
          public int slot(int kernelDevice, long inode) {
            return 0;
          }

          @Override
          public int epoch(int slot) {
            return slot == 1 ? 5 : 4;
          }
        };
    RecordingStorage storage = storage(RecordingStorage.device(3));
    EvictionSender sender = new EvictionSender(KEPT, epochs, counters);
    sender.run(0, 0, 8, 1, 4);
    sender.run(0, 16, 8, 0, 4);
    StorageLink link =
        new StorageLink(
            InProcessChannelBuilder.forName(name).directExecutor().build(), name, clock, counters);
    link.tick();
    CachedDevice cached = RecordingStorage.device(3).build();
    assertThat(link.newDevices()).containsExactly(cached);
    sender.sendBatch(
        link, index -> new TracedDevice(cached, 0, Optional.empty(), Optional.empty()));
    link.close();

    assertThat(storage.blocksOf(3)).isEqualTo(blocks(16, 24));
    assertThat(counters.staleBlocks.sum()).isEqualTo(8);
    assertThat(sender.kept()).isZero();
  }
}
