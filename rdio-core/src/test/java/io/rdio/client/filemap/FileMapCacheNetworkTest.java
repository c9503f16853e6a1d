// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.PlaneProbe;
import io.rdio.client.plane.grant.GrantPlane;
import io.rdio.client.plane.grant.MetadataClient;
import io.rdio.client.plane.grant.MetadataClientSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.Patience;
import io.rdio.core.wire.NettyChannelFactory;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The FileMap cache over real sockets, against the DataNode's own server and against others. */
class FileMapCacheNetworkTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path root;
  private final ClientCounters counters = new ClientCounters();
  private GrantFixture dataNode;
  private MetadataServer server;
  private FileMapCache cache;

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    server = MetadataServer.start(new InetSocketAddress(loopback, 0), 8, dataNode.service);
    cache = cache(server.port(), LONG);
  }

  @AfterEach
  void stop() {
    cache.close();
    server.close();
  }

  private FileMapCache cache(int port, Duration timeout) {
    FileMapCache made =
        new FileMapCache(
            new FileMapSettings(1 << 20, 8, timeout, LONG, LONG),
            new OneDataNode(),
            new GrantPlane(
                settings(timeout),
                id -> id.withPort(port),
                new NettyChannelFactory(),
                dataNode.nanos::get,
                counters),
            new FileMapCache.Surroundings(dataNode.nanos::get, counters, map -> {}, Runnable::run));
    made.start();
    return made;
  }

  private static MetadataClientSettings settings(Duration timeout) {
    return new MetadataClientSettings("client", timeout, LONG, Duration.ofSeconds(2));
  }

  private static BlockRequest request(BlockKey block) {
    return new BlockRequest(new TokenedBlock(block, FakeHdfs.TOKEN), "/f");
  }

  @Test
  void grantRecallReturn() throws Exception {
    BlockKey block = dataNode.hdfs.write(1, 5000);
    FileMap map = cache.get(request(block));
    assertThat(map.blockLength()).isEqualTo(5000);
    assertThat(map.device()).isEqualTo(GrantFixture.DEVICE);
    assertThat(map.storageId()).isEqualTo(FakeHdfs.STORAGE_ID);
    assertThat(map.metaExtents().length()).isGreaterThanOrEqualTo(map.checksum().metaLength(5000));
    assertThat(dataNode.links()).hasSize(2);
    dataNode.nanos.addAndGet(FileMapCacheFixture.IDLE.toNanos());
    dataNode.hdfs.delete(block);
    await()
        .untilAsserted(
            () -> {
              dataNode.service.sweep();
              assertThat(map.guard().isValid(dataNode.nanos.get())).isFalse();
              assertThat(dataNode.links()).isEmpty();
            });
    assertThat(cache.leasesHeld()).isZero();
    assertThat(counters.recalls.sum()).isEqualTo(1);
    assertThat(refusal(cache, block)).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);
  }

  @Test
  void aLeaseInUseLivesOnThroughRenewals() throws Exception {
    BlockKey block = dataNode.hdfs.write(1, 5000);
    FileMap map = cache.get(request(block));
    for (int i = 0; i < 4; i++) {
      long before = map.guard().remainingNanos(dataNode.nanos.get());
      dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
      assertThat(cache.get(request(block))).isSameAs(map);
      cache.tend();
      await()
          .untilAsserted(
              () -> assertThat(map.guard().remainingNanos(dataNode.nanos.get())).isEqualTo(before));
    }
    assertThat(counters.mapLoads.sum()).isEqualTo(1);
  }

  @Test
  void theDataNodeAgreesThatACloseReturnsAll() throws Exception {
    for (int id = 1; id <= 5; id++) {
      cache.get(request(dataNode.hdfs.write(id, 100)));
    }
    assertThat(dataNode.links()).hasSize(10);
    cache.close();
    await().untilAsserted(() -> assertThat(dataNode.links()).isEmpty());
  }

  @Test
  void aForgedTokenIsRefused() {
    BlockKey block = dataNode.hdfs.write(1, 5000);
    FallbackException refused =
        catchThrowableOfType(
            FallbackException.class,
            () -> cache.get(new BlockRequest(new TokenedBlock(block, new byte[] {1, 2, 3}), "/f")));
    assertThat(refused.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(dataNode.links()).isEmpty();
  }

  @Test
  void theDataNodeToldWhoItIsAndWhatIsLeased() throws Exception {
    BlockKey block = dataNode.hdfs.write(1, 5000);
    String endpoint = cache.get(request(block)).dataNode();
    try (PlaneProbe probe = probe()) {
      assertThat(probe.hello(endpoint).volumes())
          .singleElement()
          .satisfies(volume -> assertThat(volume.device()).isEqualTo(GrantFixture.DEVICE));
      assertThat(probe.listLeases(endpoint))
          .singleElement()
          .satisfies(lease -> assertThat(lease.block()).isEqualTo(block));
    }
  }

  private PlaneProbe probe() {
    return new MetadataClient(
        settings(LONG), new NettyChannelFactory(), dataNode.nanos::get, counters, new Nobody());
  }

  private static final class Nobody implements MapListener {
    @Override
    public void lost(FileMap map) {}

    @Override
    public void ranOut(FileMap map) {}
  }

  @Test
  void nobodyListens() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (FileMapCache lonely = cache(port, LONG)) {
      assertThat(refusal(lonely, FakeHdfs.block(1)))
          .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    }
  }

  @Test
  void aPortThatAcceptsAndIsSilentCostsOneTimeout() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        FileMapCache waiting = cache(silent.getLocalPort(), Duration.ofMillis(300))) {
      assertThat(refusal(waiting, FakeHdfs.block(1)))
          .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
      assertThat(refusal(waiting, FakeHdfs.block(2)))
          .isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    }
  }

  @Test
  void aPortThatSpeaksAnotherProtocol() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        FileMapCache asking = cache(web.getLocalPort(), LONG)) {
      Thread answers =
          new Thread(
              () -> {
                try (Socket socket = web.accept();
                    OutputStream out = socket.getOutputStream()) {
                  out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      answers.start();
      assertThat(refusal(asking, FakeHdfs.block(1)))
          .isIn(FallbackReason.METADATA_PLANE_UNREACHABLE, FallbackReason.METADATA_PLANE_ERROR);
      Patience.join(answers);
    }
  }

  private static FallbackReason refusal(FileMapCache cache, BlockKey block) {
    return catchThrowableOfType(FallbackException.class, () -> cache.get(request(block))).reason();
  }

  private static final class OneDataNode implements BlockLocator {
    @Override
    public List<BlockLocation> locate(BlockRequest request) {
      ReplicaLocation replica =
          new ReplicaLocation(new DataNodeId("127.0.0.1", 9866, 0), FakeHdfs.STORAGE_ID);
      return List.of(new BlockLocation(new TokenedBlock(request.block()), List.of(replica)));
    }

    @Override
    public @Nullable BlockLocation following(BlockKey block) {
      return null;
    }

    @Override
    public void forget(BlockKey block) {}
  }
}
