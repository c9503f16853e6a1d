// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.agent.daemon.AgentLimits;
import io.rdio.agent.daemon.AgentPorts;
import io.rdio.agent.daemon.AgentServer;
import io.rdio.agent.daemon.BlockRights;
import io.rdio.agent.daemon.FirstReads;
import io.rdio.agent.daemon.WritePorts;
import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockName;
import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An agent in this JVM that serves one {@link TestBlock} on a device in memory, and a client. */
public final class AgentFixture implements AutoCloseable {
  public static final AgentLimits.Writes WRITES = new AgentLimits.Writes(4, 6, 1 << 20);

  public static final AgentLimits LIMITS =
      new AgentLimits(
          8, 16, 12, 8, 4L << 20, 6L << 20, Duration.ofSeconds(5), Duration.ofMinutes(1), WRITES);

  /** Who wants no more of a block is its first reader; see {@link #firstReads}. */
  public static final long FIRST_BYTES = 4096;

  public final TestBlock block;
  public final ReadFixture reads;
  public final Path socket;
  public final AgentClient client;

  /** What becomes of who wants little of a block; nothing, unless a test says otherwise. */
  public volatile FirstReads firstReads = request -> {};

  /** Where blocks are written to. */
  public final FakeWrites writes = new FakeWrites();

  /** Where the agent found chunks wrong. */
  public final List<Long> suspects = new CopyOnWriteArrayList<>();

  private final AgentLimits limits;
  private final BlockRights rights;
  private final @Nullable BlockDataCache cache;
  private @Nullable AgentServer server;

  public AgentFixture(TestBlock block, Path directory) throws IOException {
    this(block, directory, LIMITS, request -> Long.MAX_VALUE);
  }

  public AgentFixture(TestBlock block, Path directory, AgentLimits limits, BlockRights rights)
      throws IOException {
    this(block, directory, limits, rights, 0, 0);
  }

  /** With a block data cache of so many bytes. */
  public AgentFixture(
      TestBlock block,
      Path directory,
      AgentLimits limits,
      BlockRights rights,
      long cacheBytes,
      int cacheChunk)
      throws IOException {
    this.block = block;
    this.limits = limits;
    this.rights = rights;
    this.reads = new ReadFixture(block, 4096);
    this.cache =
        cacheBytes == 0
            ? null
            : new BlockDataCache(cacheBytes, cacheChunk, reads.clock, reads.counters);
    this.socket = directory.resolve("agent.sock");
    start();
    this.client = AgentClient.of(settings(60, 2L << 20));
  }

  public AgentSettings settings(int patienceSeconds, long memory) {
    return new AgentSettings(
        socket.toString(),
        "test",
        memory,
        Duration.ofSeconds(patienceSeconds).toNanos(),
        1 << 20,
        FIRST_BYTES);
  }

  public void start() throws IOException {
    start(new WritePorts(writes, writes));
  }

  /** With other writes, or without any. */
  public void start(@Nullable WritePorts ports) throws IOException {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    server =
        AgentServer.start(
            socket,
            new AgentPorts(
                reads.context.with(cache),
                rights,
                request -> firstReads.check(request),
                (request, suspect, chunkAt) -> suspects.add(chunkAt),
                () -> new DeferredQueue(block.bytes.length),
                ports),
            limits);
  }

  public void stop() {
    if (server != null) {
      server.close();
      server = null;
    }
  }

  public AgentServer server() {
    if (server == null) {
      throw new IllegalStateException("the agent is not running");
    }
    return server;
  }

  public BlockDataCache cache() {
    return Objects.requireNonNull(cache);
  }

  /** A client as another process has it, with a session and a segment of its own. */
  public AgentClient anotherProcess() {
    return anotherProcess(2L << 20);
  }

  /** The same with so many bytes of memory. */
  public AgentClient anotherProcess(long memory) {
    Path otherWay = socket.resolveSibling(".").resolve(socket.getFileName());
    return AgentClient.of(
        new AgentSettings(
            otherWay.toString(),
            "other",
            memory,
            Duration.ofMinutes(1).toNanos(),
            1 << 20,
            FIRST_BYTES));
  }

  public BlockName name() {
    return name(new byte[0]);
  }

  public BlockName name(byte[] token) {
    return new BlockName(
        block.key.poolId(), block.key.blockId(), block.key.generationStamp(), true, "/f", token);
  }

  public AgentBlock open() throws FallbackException {
    return client.open(name(), block.bytes.length, false);
  }

  @Override
  public void close() {
    client.close();
    stop();
  }
}
