// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.SlotAsk;
import io.rdio.datanode.allocate.FakeWriteRoom;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.datanode.server.MetadataServerPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** A writer's client and a DataNode's write plane, over real sockets. */
final class GrantWritesFixture implements AutoCloseable {
  static final DataNodeId TARGET = new DataNodeId("datanode", 1, 0);
  static final Duration MARGIN = Duration.ofSeconds(2);
  static final BlockKey BLOCK = FakeHdfs.block(1);

  /** Of a client that is connected by a {@link LossyWay}. */
  static final Duration COMMIT_TIMEOUT = Duration.ofMinutes(3);

  private static final Duration LONG = Duration.ofSeconds(20);

  final GrantFixture dataNode;
  FakeWriteRoom room = new FakeWriteRoom(11);

  /** Of the client that was connected last. */
  GrantWrites writes;

  MetadataClient client;

  /** Of each client its own, for a client ends those that it was given. */
  private final List<WatchedChannels> channels = new ArrayList<>();

  private final List<MetadataClient> clients = new ArrayList<>();
  private final List<LossyWay> ways = new ArrayList<>();
  private MetadataServer server;
  private int port;

  GrantWritesFixture(Path root) throws IOException {
    dataNode = new GrantFixture(root);
    serve(0, ProtocolRange.SUPPORTED, room);
    connect(ProtocolRange.SUPPORTED, false);
  }

  private void serve(int at, ProtocolRange versions, @Nullable FakeWriteRoom lender)
      throws IOException {
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), at),
            new MetadataServerPolicy(MetadataServerLimits.of(8), address -> false, versions),
            dataNode.service,
            lender,
            null);
    port = server.port();
  }

  /**
   * Another DataNode in the place of this one.
   *
   * @param writing whether it has a room for writes
   */
  void serveInstead(ProtocolRange versions, boolean writing) throws IOException {
    stopServing();
    serve(0, versions, writing ? room : null);
  }

  void stopServing() {
    server.close();
  }

  /** The DataNode starts again at the same port: it knows what it committed, and no lease. */
  void restart() throws IOException {
    stopServing();
    channels.forEach(WatchedChannels::awaitDisconnected);
    dataNode.start(GrantFixture.CONFIG);
    FakeWriteRoom before = room;
    room = new FakeWriteRoom(12);
    room.committed.putAll(before.committed);
    serve(port, ProtocolRange.SUPPORTED, room);
  }

  /** Another client with the same id, and sessions of its own. */
  void connect(ProtocolRange versions, boolean trusting) {
    connect(versions, LONG, node -> endpoint(), new WriteSettings(LONG, LONG, trusting, LONG));
  }

  /** A way to the DataNode, for clients that are connected by it. */
  LossyWay lossyWay() throws IOException {
    LossyWay way = LossyWay.to(port);
    ways.add(way);
    return way;
  }

  /**
   * Another one, by such a way.
   *
   * @param rpcTimeout longest wait for any answer but that to a commit
   * @param silence behind which a DataNode is asked whether it is there
   */
  void connectBy(LossyWay way, Duration rpcTimeout, Duration silence) {
    connect(
        ProtocolRange.SUPPORTED,
        rpcTimeout,
        node -> "127.0.0.1:" + way.port(),
        new WriteSettings(COMMIT_TIMEOUT, silence, false, LONG));
  }

  private void connect(
      ProtocolRange versions,
      Duration rpcTimeout,
      EndpointResolver endpoints,
      WriteSettings settings) {
    WatchedChannels its = new WatchedChannels();
    channels.add(its);
    client =
        new MetadataClient(
            new MetadataClientSettings("client", rpcTimeout, LONG, MARGIN, versions),
            its,
            dataNode.nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap map) {}

              @Override
              public void ranOut(FileMap map) {}
            });
    clients.add(client);
    writes = new GrantWrites(endpoints, client, settings);
  }

  /** Where the DataNode serves now, or served last. */
  String endpoint() {
    return "127.0.0.1:" + port;
  }

  static SlotAsk ask(BlockKey block) {
    return new SlotAsk(block, "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 5);
  }

  WriteSlot allocate(BlockKey block) throws FallbackException {
    return writes.allocate(TARGET, FakeWriteRoom.WRITE_TOKEN, ask(block));
  }

  static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  /** CRCs of a block of so many bytes. */
  static ByteBuffer crcs(long length) {
    return ByteBuffer.wrap(crcBytes(length));
  }

  static byte[] crcBytes(long length) {
    byte[] crcs = new byte[(int) ((length + 511) / 512 * 4)];
    new Random(length).nextBytes(crcs);
    return crcs;
  }

  @Override
  public void close() {
    clients.forEach(MetadataClient::close); // and with each one its channels
    server.close();
    ways.forEach(LossyWay::close);
  }
}
