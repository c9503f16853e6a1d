// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.daemon.AgentPorts;
import io.rdio.agent.daemon.AgentServer;
import io.rdio.agent.daemon.BlockWrites;
import io.rdio.agent.daemon.WritePorts;
import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockToWrite;
import io.rdio.agent.ipc.Protocol;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.RingQueue;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * An agent in this very JVM that takes blocks and writes them nowhere: what is left of a write is
 * the application's copy with its CRCs, the messages, and the agent's own part. Thread-safe.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls open() first.
public class DiscardingAgent {
  /** The longest that there is, so that few are begun. */
  static final int BLOCK_BYTES = 1 << 30;

  private static final int CHUNK = 512;
  private static final int UNIT = 4096;
  private static final int LANES = 64;
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final long CHECKSUM_BYTES = 1L << 30;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final AtomicLong blocks = new AtomicLong();
  private Path folder;
  private RdioClientContext context;
  private AgentServer agent;
  private AgentClient client;

  /** Starts it. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    folder = Files.createTempDirectory("rdio-micro-");
    Path socket = folder.resolve("agent.sock");
    Configuration conf = new Configuration();
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    context = RdioClientContext.ofAgent(conf);
    AgentLimits limits =
        new AgentLimits(
            LANES,
            LANES,
            LANES,
            LANES,
            SEGMENT_BYTES,
            SEGMENT_BYTES,
            PATIENCE,
            PATIENCE,
            new AgentLimits.Writes(LANES, LANES, CHECKSUM_BYTES));
    AgentPorts ports =
        new AgentPorts(
            context.readContext(),
            request -> Long.MAX_VALUE,
            request -> {},
            (request, suspect, chunkAt) -> {},
            () -> RingQueue.open(PATIENCE),
            new WritePorts(
                (block, file, targets) -> {},
                (block, targets, bytes, checksum, chunk) -> new Discarded(bytes, targets.size())));
    agent = AgentServer.start(socket, ports, limits);
    client =
        AgentClient.of(
            new AgentSettings(
                socket.toString(), "bench", SEGMENT_BYTES, PATIENCE.toNanos(), 1 << 20, 0));
  }

  /** Begins a block with one replica. */
  AgentBlockWriter begin() throws IOException {
    try {
      return client.allocate(
          new BlockToWrite(
              "pool",
              blocks.incrementAndGet(),
              1,
              "/bench",
              BLOCK_BYTES,
              ChecksumSpec.Type.CRC32C,
              CHUNK,
              List.of(new WriteTarget("localhost", 1, 0, "", new byte[0]))));
    } catch (FallbackException e) {
      throw new IOException("the agent takes no block: " + e.getMessage(), e);
    }
  }

  /** Ends it. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    client.close();
    agent.close();
    context.close();
    Files.delete(folder);
  }

  /** A block that is written nowhere. */
  private record Discarded(long capacity, int targets) implements BlockWrites.Replicas {
    @Override
    public int unit() {
      return UNIT;
    }

    @Override
    public long alive() {
      return (1L << targets) - 1;
    }

    @Override
    public int ranges() {
      return Protocol.WRITES_MAX;
    }

    @Override
    public void begin(long offset, long address, int length, boolean isLast, Object memory) {}

    @Override
    public void finishOldest() {}

    @Override
    public long commit(long length, ByteBuffer checksums, int needed) {
      return alive();
    }

    @Override
    public void close() {}
  }
}
