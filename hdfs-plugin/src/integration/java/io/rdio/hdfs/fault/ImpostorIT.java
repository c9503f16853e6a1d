// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.METADATA_PLANE_BACKOFF;
import static io.rdio.core.FallbackReason.METADATA_PLANE_UNAUTHENTIC;
import static io.rdio.core.FallbackReason.PROTOCOL_MISMATCH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantStatement;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.PlanePort.Manner;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody else on a plugin's port, in a cluster with block tokens: he may look into all answers of
 * the real plugin and change them, and has a file of his own on the DataNode's device. His victim
 * reads the right bytes, and keeps its passwords.
 */
@Tag("loop")
class ImpostorIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 3;
  private static final Duration RECOVERY_TIME_MAX = Duration.ofSeconds(60);

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;
  private static SeededFile impostors;
  private static int pluginPort;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(256L << 20)
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("dfs.datanode.rdio.lease.duration", "4s")
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.client.rdio.lease.margin", "500ms")
            .set("dfs.client.rdio.datanode.backoff", "200ms")
            .start();
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
    impostors = SeededFile.write(stock, "/impostors", BLOCKS * BLOCK, 2);
    pluginPort = cluster.clientConf(true).getInt("dfs.client.rdio.datanode.port", 0);
    try (RdioClient warmUp = RdioClient.of(cluster)) {
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> warmUp.readByRdio(file));
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  private static RdioClient clientOf(int port) throws IOException {
    return RdioClient.of(cluster, "dfs.client.rdio.datanode.port", Integer.toString(port));
  }

  @Test
  void passwordStaysAtHome() throws Exception {
    try (PlanePort port = new PlanePort(pluginPort, Manner.RELAY);
        RdioClient client = clientOf(port.port())) {
      LocatedBlock block = Maps.blocks(client.fs(), file.path()).get(0);
      assertThat(Maps.of(client.fs(), file.path(), block).blockLength()).isEqualTo(BLOCK);
      client.readByRdio(file);

      String seen = text(port.relayed());
      assertThat(seen.contains(text(block.getBlockToken().getIdentifier())))
          .as("identifier on the wire")
          .isTrue();
      assertThat(seen.contains(text(block.getBlockToken().getPassword())))
          .as("password on the wire")
          .isFalse();
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        arguments("its own file, as in version 1", lie(own -> changed(own, false))),
        arguments("its own file, with the proof of the true one", lie(own -> changed(own, true))),
        arguments(
            "no checksums",
            lie(own -> eachMap(true, (i, map) -> map.setChecksumType(0).clearMetaExtents()))),
        arguments("what it answered before", lie(own -> replayed())),
        arguments(
            "a session that it made up",
            (Lie)
                (plane, own) ->
                    plane.session =
                        reply ->
                            reply.toBuilder()
                                .setSession(
                                    reply.getSession().toBuilder()
                                        .setProof(ByteString.copyFrom(new byte[32])))
                                .build()));
  }

  /** What the impostor does from now on; he knows the maps of his own file. */
  private interface Lie {
    void begin(LyingPlane plane, List<FileMap> own);
  }

  /** Another answer to grants. */
  private interface GrantLie {
    UnaryOperator<GrantReply> of(List<FileMap> own);
  }

  private static Lie lie(GrantLie lie) {
    return (plane, own) -> plane.grant = lie.of(own);
  }

  private static UnaryOperator<GrantReply> replayed() {
    List<GrantReply> before = new ArrayList<>();
    return reply -> {
      before.add(reply);
      return before.size() == 1
          ? reply.toBuilder().clearBlocks().addAllBlocks(refused(reply)).build()
          : before.get(0);
    };
  }

  /** The first answer is kept back, to be given to the next request. */
  private static List<BlockGrant> refused(GrantReply reply) {
    return reply.getBlocksList().stream()
        .map(
            grant ->
                BlockGrant.newBuilder()
                    .setRefusal(
                        io.rdio.core.wire.proto.Refusal.newBuilder()
                            .setReason(FallbackReason.RECALL_PENDING.name()))
                    .build())
        .toList();
  }

  /** The bytes and checksums of the impostor's file under the name of the victim's blocks. */
  private static UnaryOperator<GrantReply> changed(List<FileMap> own, boolean keepProof) {
    return eachMap(
        keepProof,
        (i, map) ->
            map.setBlockExtents(own.get(i).getBlockExtents())
                .setMetaExtents(own.get(i).getMetaExtents()));
  }

  /** An edit of the map of a block. */
  private interface MapEdit {
    FileMap.Builder edit(int i, FileMap.Builder map);
  }

  private static UnaryOperator<GrantReply> eachMap(boolean keepProof, MapEdit edit) {
    return reply -> {
      GrantReply.Builder changed = reply.toBuilder();
      for (int i = 0; i < reply.getBlocksCount(); i++) {
        GrantStatement.Builder statement = statement(reply.getBlocks(i)).toBuilder();
        edit.edit(i, statement.getFileMapBuilder());
        BlockGrant.Builder grant = changed.getBlocksBuilder(i);
        if (keepProof) {
          grant.getProvenBuilder().setStatement(statement.build().toByteString());
        } else {
          grant.setFileMap(statement.getFileMap());
        }
      }
      return changed.build();
    };
  }

  private static GrantStatement statement(BlockGrant grant) {
    try {
      return GrantStatement.parseFrom(grant.getProven().getStatement());
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void victimReadsItsOwnBytes(String what, Lie lie) throws Exception {
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      List<FileMap> own = mapsOfTheImpostor();
      lie.begin(plane, own);
      Counts counts = Counts.now();
      await(what)
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(
              () -> {
                client.readByStock(file);
                assertThat(counts.fallbacks()).containsKey(METADATA_PLANE_UNAUTHENTIC);
              });
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  /** He may read his file, so he gets its maps, from the real plugin. */
  private static List<FileMap> mapsOfTheImpostor() throws IOException {
    List<FileMap> maps = new ArrayList<>();
    Consumer<GrantReply> keep =
        reply -> reply.getBlocksList().forEach(grant -> maps.add(statement(grant).getFileMap()));
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient impostor = clientOf(plane.port())) {
      plane.grant =
          reply -> {
            keep.accept(reply);
            return reply;
          };
      impostor.readByRdio(impostors);
    }
    assertThat(maps).hasSize(BLOCKS);
    return maps;
  }

  @Test
  void whoSaysVersionOneGetsNoToken() throws Exception {
    AtomicInteger grants = new AtomicInteger();
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      plane.hello =
          reply ->
              reply.toBuilder()
                  .setProtocolVersion(1)
                  .clearProtocolVersionMin()
                  .clearProtocolVersionMax()
                  .build();
      plane.request =
          asked -> {
            grants.incrementAndGet();
            return asked;
          };
      assertThat(client.readByStock(file))
          .containsKey(PROTOCOL_MISMATCH)
          .doesNotContainKey(METADATA_PLANE_UNAUTHENTIC);
      assertThat(grants.get()).isZero();
      plane.behave();
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
    }
  }

  @Test
  void forgedRenewalsLengthenNoLease() throws Exception {
    try (LyingPlane plane = new LyingPlane(pluginPort);
        RdioClient client = clientOf(plane.port())) {
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
      List<FileMap> own = mapsOfTheImpostor();
      Counts counts = Counts.now();
      AtomicInteger renewals = new AtomicInteger();
      plane.grant = changed(own, true);
      plane.renewal =
          reply -> {
            renewals.incrementAndGet();
            int count = reply.getLeaseMillisCount();
            var forged = reply.toBuilder().clearLeaseMillis();
            for (int i = 0; i < count; i++) {
              forged.addLeaseMillis(3_600_000);
            }
            return forged.build();
          };
      await("the leases run out, whatever he says")
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(
              () -> {
                RdioClient.Reading reading = client.read(file);
                assertThat(reading.rdioBytes()).as("by RDIO; " + reading.fallbacks()).isZero();
              });
      assertThat(renewals.get()).isPositive();
      await()
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(
              () -> {
                client.readByStock(file);
                assertThat(counts.fallbacks()).containsKey(METADATA_PLANE_UNAUTHENTIC);
              });
      assertThat(counts.fallbacks().keySet())
          .isSubsetOf(
              METADATA_PLANE_UNAUTHENTIC, METADATA_PLANE_BACKOFF, FallbackReason.LEASE_EXPIRED);
    }
  }
}
