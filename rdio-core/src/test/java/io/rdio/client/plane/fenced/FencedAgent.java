// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.agent.AgentFixture;
import io.rdio.agent.daemon.AgentPorts;
import io.rdio.agent.daemon.AgentServer;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockName;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.FileMapCache;
import io.rdio.client.filemap.FileMapSettings;
import io.rdio.client.filemap.ReplicaLocation;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.device.AutoPlane;
import io.rdio.client.read.TransferQueue;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.device.LocalDeviceDirectory;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An agent in this JVM whose DataNodes are all dead, with volumes that a test says are fenced, and
 * a client of it, which has nothing but its socket.
 */
final class FencedAgent implements AutoCloseable {
  static final String STORAGE = "DS-1";
  private static final DataNodeId HOLDER = new DataNodeId("dn", 9866, 9864);
  private static final Duration LONG = Duration.ofMinutes(1);

  final FileMapCache maps;
  private final AgentServer server;
  private final AgentClient client;

  /**
   * @param directory for its socket
   * @param patience of whoever waits for a copy
   * @param queues by which it reads
   */
  FencedAgent(
      FencedVolume.Means means, Path directory, Duration patience, TransferQueue.Source queues)
      throws IOException {
    MonotonicClock clock = new BootTimeClock();
    ReadPools pools = ReadPools.of(8 << 20, queues::open);
    ClientCounters counters = pools.counters();
    FencedVolumes volumes =
        new FencedVolumes(
            means, work -> DaemonThreads.daemon("copies", work).start(), clock, patience);
    FencedPlane device =
        new FencedPlane(
            new RefusingPlane(FallbackReason.XFS_NEEDS_DATANODE), volumes, clock, counters.device);
    maps =
        new FileMapCache(
            new FileMapSettings(1 << 20, 0, LONG, LONG, LONG),
            new OneHolder(),
            new AutoPlane(
                new RefusingPlane(FallbackReason.METADATA_PLANE_UNREACHABLE), device, clock),
            new FileMapCache.Surroundings(clock, counters, map -> {}, Runnable::run));
    Path socket = directory.resolve("agent.sock");
    server =
        AgentServer.start(
            socket,
            new AgentPorts(
                pools.context(maps, new LocalDeviceDirectory(Map.of(), LONG), clock),
                request -> Long.MAX_VALUE,
                request -> {},
                (request, suspect, chunkAt) -> {},
                queues,
                null),
            AgentFixture.LIMITS);
    client =
        AgentClient.of(
            new AgentSettings(socket.toString(), "test", 2 << 20, LONG.toNanos(), 1 << 20, 0));
  }

  /** A NameNode for which each block is on the one storage. */
  private static final class OneHolder implements BlockLocator {
    @Override
    public List<BlockLocation> locate(BlockRequest request) {
      return List.of(
          new BlockLocation(request.tokened(), List.of(new ReplicaLocation(HOLDER, STORAGE))));
    }

    @Override
    public @Nullable BlockLocation following(BlockKey block) {
      return null;
    }

    @Override
    public void forget(BlockKey block) {}
  }

  /** A reader of a block of so many bytes, which verifies them. */
  AgentBlock open(BlockKey block, int length) throws FallbackException {
    BlockName name =
        new BlockName(
            block.poolId(), block.blockId(), block.generationStamp(), true, "/f", new byte[0]);
    return client.open(name, length, false);
  }

  /** All of a block, by a new reader. */
  byte[] read(BlockKey block, int length) throws FallbackException {
    byte[] bytes = new byte[length];
    try (AgentBlock reader = open(block, length)) {
      reader.read(0, bytes, 0, length);
    }
    return bytes;
  }

  @Override
  public void close() {
    client.close();
    server.close();
    maps.close();
  }
}
