// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ChannelFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A FileMap cache with fake DataNodes and a clock that stands still unless it is moved. */
final class FileMapCacheFixture implements AutoCloseable {
  static final Duration TERM = Duration.ofMillis(FakeDataNode.TERM_MILLIS);
  static final Duration MARGIN = Duration.ofSeconds(2);
  static final Duration BACK_OFF = Duration.ofSeconds(30);
  static final Duration QUARANTINE = Duration.ofMinutes(10);

  private static final AtomicInteger UNIQUE = new AtomicInteger();

  final ClientCounters counters = new ClientCounters();
  final Locations locations = new Locations();
  final Map<String, FakeDataNode> dataNodes = new HashMap<>();
  final List<FileMap> withdrawn = new CopyOnWriteArrayList<>();
  final FileMapCache cache;

  /** Runs loads that nobody waits for. */
  volatile Executor background = Runnable::run;

  /** A map that was not read by for so long is not in use. */
  static final Duration IDLE = Duration.ofSeconds(2);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - TERM.toNanos()); // wraps round
  private final String suffix = "-" + UNIQUE.incrementAndGet();

  FileMapCacheFixture() {
    this(1 << 20, 0);
  }

  FileMapCacheFixture(long cacheBytes, int prefetchBlocks) {
    this(cacheBytes, prefetchBlocks, 1);
  }

  /** With maps of several replicas of each block. */
  FileMapCacheFixture(long cacheBytes, int prefetchBlocks, int replicas) {
    Duration timeout = Duration.ofSeconds(20);
    cache =
        new FileMapCache(
            new FileMapSettings(
                cacheBytes, prefetchBlocks, timeout, BACK_OFF, QUARANTINE, replicas),
            locations,
            new GrantPlane(
                new MetadataClientSettings("test", timeout, BACK_OFF, MARGIN),
                dataNode -> dataNode.host(),
                new InProcessChannels(),
                now::get,
                counters),
            new FileMapCache.Surroundings(
                now::get, counters, withdrawn::add, load -> background.execute(load)));
  }

  long nanos() {
    return now.get();
  }

  void advance(Duration time) {
    now.addAndGet(time.toNanos());
  }

  FakeDataNode dataNode(String name) {
    return dataNodes.computeIfAbsent(name, unused -> new FakeDataNode(name + suffix));
  }

  /** A file whose blocks are all on the same DataNodes, in this order of preference. */
  void file(List<Long> blockIds, String... dataNodeNames) {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (String name : dataNodeNames) {
      String endpoint = dataNode(name).endpoint;
      replicas.add(new ReplicaLocation(new DataNodeId(endpoint, 0, 0), "storage of " + endpoint));
    }
    List<BlockLocation> blocks =
        blockIds.stream()
            .map(id -> new BlockLocation(new TokenedBlock(key(id)), replicas))
            .toList();
    for (int i = 0; i < blocks.size(); i++) {
      locations.known.put(key(blockIds.get(i)), blocks.subList(i, blocks.size()));
    }
  }

  static BlockKey key(long id) {
    return new BlockKey("BP-1", id, 1001);
  }

  static BlockRequest request(long id) {
    return new BlockRequest(new TokenedBlock(key(id)), "/f");
  }

  FileMap get(long id) throws FallbackException {
    return cache.get(request(id));
  }

  FallbackReason refusal(long id) {
    FallbackException refused = catchThrowableOfType(FallbackException.class, () -> get(id));
    if (refused == null) {
      throw new AssertionError("block " + id + " was granted");
    }
    return refused.reason();
  }

  boolean isValid(FileMap map) {
    return map.guard().isValid(nanos());
  }

  @Override
  public void close() {
    cache.close();
    dataNodes.values().forEach(FakeDataNode::close);
  }

  static final class Locations implements BlockLocator {
    final Map<BlockKey, List<BlockLocation>> known = new HashMap<>();
    final List<BlockKey> forgotten = new ArrayList<>();

    /** A file that has none of them. */
    static final String WRONG_NAME = "/wrong";

    /** Told of each question before it is answered. */
    volatile Consumer<BlockRequest> asked = request -> {};

    @Override
    public List<BlockLocation> locate(BlockRequest request) throws FallbackException {
      asked.accept(request);
      List<BlockLocation> found = known.get(request.block());
      if (found == null || request.fileName().equals(WRONG_NAME)) {
        throw new FallbackException(FallbackReason.LOCATION_UNKNOWN, "not told");
      }
      return found;
    }

    @Override
    public @Nullable BlockLocation following(BlockKey block) {
      List<BlockLocation> found = known.getOrDefault(block, List.of());
      return found.size() < 2 ? null : found.get(1);
    }

    @Override
    public void forget(BlockKey block) {
      forgotten.add(block);
    }
  }

  private static final class InProcessChannels implements ChannelFactory {
    @Override
    public ManagedChannel open(String endpoint) {
      return InProcessChannelBuilder.forName(endpoint).directExecutor().build();
    }

    @Override
    public void close() {}
  }
}
