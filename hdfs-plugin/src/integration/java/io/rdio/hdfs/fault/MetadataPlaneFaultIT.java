// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.CHECKSUM_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_MISMATCH;
import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.METADATA_PLANE_BACKOFF;
import static io.rdio.core.FallbackReason.METADATA_PLANE_ERROR;
import static io.rdio.core.FallbackReason.METADATA_PLANE_UNREACHABLE;
import static io.rdio.core.FallbackReason.PROTOCOL_MISMATCH;
import static io.rdio.core.FallbackReason.REPLICA_CHANGED;
import static io.rdio.core.FallbackReason.REPLICA_QUARANTINED;
import static io.rdio.core.testing.Patience.await;
import static io.rdio.hdfs.cluster.Shape.SHORT_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import io.rdio.hdfs.fault.PlanePort.Manner;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A plugin's port that is closed, silent, slow, somebody else's, of another version, or lies: right
 * bytes, the reason counted, one wait of at most one timeout, and RDIO again once it is in order.
 */
@Tag("loop")
@Shares(SHORT_EXT4)
class MetadataPlaneFaultIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 4;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** Less than what eight readers would wait one behind the other. */
  private static final Duration STOCK_TIME_MAX = Duration.ofSeconds(10);

  private static final Duration RECOVERY_TIME_MAX = Duration.ofSeconds(60);

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;
  private static int pluginPort;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(SHORT_EXT4);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
    pluginPort = cluster.clientConf(true).getInt("dfs.client.rdio.datanode.port", 0);
    try (RdioClient warmUp = clientOf(pluginPort)) {
      // A JVM's first call takes longer than the timeout here.
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> warmUp.readByRdio(file));
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  private static RdioClient clientOf(int port) throws IOException {
    return clientOf(port, "3s");
  }

  private static RdioClient clientOf(int port, String backOff) throws IOException {
    return RdioClient.of(
        cluster,
        "dfs.client.rdio.datanode.port",
        Integer.toString(port),
        "dfs.client.rdio.rpc.timeout",
        TIMEOUT.toMillis() + "ms",
        "dfs.client.rdio.datanode.backoff",
        backOff,
        "dfs.client.rdio.quarantine",
        "1s");
  }

  @ParameterizedTest
  @CsvSource({
    "CLOSED, METADATA_PLANE_UNREACHABLE",
    "SILENT, METADATA_PLANE_UNREACHABLE",
    "NOISE, METADATA_PLANE_ERROR",
    "HTTP1, METADATA_PLANE_ERROR"
  })
  void portThatIsNoPlugin(Manner manner, FallbackReason reason) throws Exception {
    try (PlanePort port = new PlanePort(pluginPort, manner);
        RdioClient client = clientOf(port.port())) {
      long begun = System.nanoTime();
      Map<FallbackReason, Long> fallbacks = client.readByStock(file);
      assertThat(since(begun)).isLessThan(TIMEOUT.plus(STOCK_TIME_MAX));
      assertThat(fallbacks)
          .as("one call fails, the other blocks cost nothing")
          .isEqualTo(Map.of(reason, 1L, METADATA_PLANE_BACKOFF, BLOCKS - 1L));
      port.become(Manner.RELAY);
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
      port.become(manner == Manner.CLOSED ? Manner.SILENT : manner);
      await()
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(() -> assertThat(client.readByStock(file)).isNotEmpty());
      port.become(Manner.RELAY);
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  @Test
  void manyReadersOfASilentPortWaitOnce() throws Exception {
    int readers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(readers);
    try (PlanePort port = new PlanePort(pluginPort, Manner.SILENT);
        RdioClient client = clientOf(port.port())) {
      Counts counts = Counts.now();
      Callable<Duration> reader =
          () -> {
            long begun = System.nanoTime();
            client.read(file);
            return since(begun);
          };
      List<Callable<Duration>> all = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        all.add(reader);
      }
      for (Future<Duration> waited : threads.invokeAll(all)) {
        assertThat(waited.get()).isLessThan(TIMEOUT.plus(STOCK_TIME_MAX));
      }
      assertThat(counts.fallbacks())
          .containsOnlyKeys(METADATA_PLANE_UNREACHABLE, METADATA_PLANE_BACKOFF);
      assertThat(counts.fallbacks(METADATA_PLANE_UNREACHABLE)).isLessThanOrEqualTo(readers);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void grantsThatComeTooLate() throws Exception {
    CountDownLatch late = new CountDownLatch(1);
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      plane.grant =
          reply -> {
            awaitUninterruptibly(late);
            return reply;
          };
      long begun = System.nanoTime();
      Map<FallbackReason, Long> fallbacks = client.readByStock(file);
      assertThat(since(begun)).isLessThan(TIMEOUT.plus(STOCK_TIME_MAX));
      assertThat(fallbacks)
          .isEqualTo(Map.of(METADATA_PLANE_UNREACHABLE, 1L, METADATA_PLANE_BACKOFF, BLOCKS - 1L));
      late.countDown();
      await("leases that nobody knows of run out")
          .atMost(RECOVERY_TIME_MAX)
          .until(() -> Maps.pins(cluster) == 0);
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {ProtocolVersion.OLDEST - 1, ProtocolVersion.CURRENT + 1, -1})
  void anotherVersion(int version) throws Exception {
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      plane.hello = reply -> reply.toBuilder().setProtocolVersion(version).build();
      assertThat(client.readByStock(file))
          .isEqualTo(Map.of(PROTOCOL_MISMATCH, 1L, METADATA_PLANE_BACKOFF, BLOCKS - 1L));
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  /** As when the DataNode is upgraded between hello and grant. */
  @Test
  void versionThatThePluginRefuses() throws Exception {
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      plane.request =
          asked -> asked.toBuilder().setProtocolVersion(ProtocolVersion.CURRENT + 1).build();
      assertThat(client.readByStock(file)).containsOnlyKeys(PROTOCOL_MISMATCH);
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        arguments("maps of other blocks", METADATA_PLANE_ERROR, lie(MetadataPlaneFaultIT::rotated)),
        arguments(
            "another pool",
            METADATA_PLANE_ERROR,
            eachMap(m -> m.getBlockBuilder().setPoolId("BP-2"))),
        arguments(
            "an older generation stamp",
            METADATA_PLANE_ERROR,
            eachMap(m -> m.getBlockBuilder().setGenerationStamp(1))),
        arguments(
            "extents behind the device",
            METADATA_PLANE_ERROR,
            eachMap(m -> m.setBlockExtents(at(m.getDevice().getSizeBytes())))),
        arguments(
            "extents before the device",
            METADATA_PLANE_ERROR,
            eachMap(m -> m.setBlockExtents(at(-BLOCK)))),
        arguments("no extents", METADATA_PLANE_ERROR, eachMap(m -> m.clearBlockExtents())),
        arguments("no block's extents", CHECKSUM_MISMATCH, eachMap(m -> m.setBlockExtents(at(0)))),
        arguments("a shorter block", REPLICA_CHANGED, eachMap(m -> m.setBlockLength(BLOCK / 2))),
        arguments(
            "another file system",
            DEVICE_NOT_FOUND,
            eachMap(m -> m.getDeviceBuilder().setFsUuid(ByteString.copyFrom(new byte[16])))),
        arguments(
            "a witness that was not written",
            DEVICE_MISMATCH,
            eachMap(m -> m.getWitnessBuilder().setCount(Long.MAX_VALUE))),
        arguments(
            "a witness behind the device",
            METADATA_PLANE_ERROR,
            eachMap(m -> m.getWitnessBuilder().setOffset(m.getDevice().getSizeBytes()))),
        arguments("no witness", METADATA_PLANE_ERROR, eachMap(m -> m.clearWitness())),
        arguments("a lease of no length", METADATA_PLANE_ERROR, lie(r -> r.setLeaseMillis(0))),
        arguments(
            "a lease of negative length",
            METADATA_PLANE_ERROR,
            lie(r -> r.setLeaseMillis(-60_000))),
        arguments(
            "a lease from the past",
            METADATA_PLANE_ERROR,
            lie(r -> r.setLeaseMillis(Long.MIN_VALUE))),
        arguments(
            // The first block's map is good; what fails is the prefetch of the others.
            "one lease for all", METADATA_PLANE_BACKOFF, eachMap(m -> m.setLeaseId(1))),
        arguments("too few grants", METADATA_PLANE_ERROR, lie(r -> r.removeBlocks(0))),
        arguments("empty grants", METADATA_PLANE_ERROR, lie(MetadataPlaneFaultIT::emptied)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void nonsense(String what, FallbackReason reason, UnaryOperator<GrantReply> lie)
      throws Exception {
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port(), backOffOf(reason))) {
      plane.grant = lie;
      RdioClient.Reading reading = client.read(file);
      assertThat(reading.fallbacks()).as(what).containsKey(reason);
      assertThat(reading.fallbacks().keySet())
          .isSubsetOf(reason, METADATA_PLANE_BACKOFF, REPLICA_QUARANTINED);
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  /** Short, so that the test is; where the back-off is what is looked for, longer than the read. */
  private static String backOffOf(FallbackReason reason) {
    return reason == METADATA_PLANE_BACKOFF ? "2s" : "200ms";
  }

  private static UnaryOperator<GrantReply> lie(UnaryOperator<GrantReply.Builder> edit) {
    return reply -> edit.apply(reply.toBuilder()).build();
  }

  /** An edit of each map of a reply. */
  private interface MapEdit {
    Object edit(FileMap.Builder map);
  }

  private static UnaryOperator<GrantReply> eachMap(MapEdit edit) {
    return lie(
        reply -> {
          for (BlockGrant.Builder grant : reply.getBlocksBuilderList()) {
            edit.edit(grant.getFileMapBuilder());
          }
          return reply;
        });
  }

  private static GrantReply.Builder rotated(GrantReply.Builder reply) {
    List<BlockGrant> grants = new ArrayList<>(reply.getBlocksList());
    grants.add(grants.remove(0));
    return grants.size() < 2 ? emptied(reply) : reply.clearBlocks().addAllBlocks(grants);
  }

  private static GrantReply.Builder emptied(GrantReply.Builder reply) {
    int count = reply.getBlocksCount();
    reply.clearBlocks();
    for (int i = 0; i < count; i++) {
      reply.addBlocks(BlockGrant.getDefaultInstance());
    }
    return reply;
  }

  private static Extents at(long physical) {
    return Extents.newBuilder().addPhysical(physical).addLength(BLOCK).build();
  }

  private static Duration since(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
