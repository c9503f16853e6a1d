// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.ChannelFactory;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.GreedyClient;
import io.rdio.datanode.server.MetadataServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers of version 1, played by the very bytes that they put on the wire. */
final class OlderPeerTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path root;
  private RecordedMessages v1;

  @BeforeEach
  void load() throws Exception {
    v1 = RecordedMessages.ofVersion(1);
  }

  @Test
  void clientOfVersionOneIsAnsweredAsItWas() throws Exception {
    GrantFixture dataNode = new GrantFixture(root);
    BlockKey block = dataNode.hdfs.write(1, 5000);
    try (MetadataServer server =
            MetadataServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
        GreedyClient old = new GreedyClient("127.0.0.1", server.port())) {
      exchange(old, MetadataPlaneGrpc.getHelloMethod(), "hello", v1.bytes("hello.request"));
      DynamicMessage granted =
          exchange(old, MetadataPlaneGrpc.getGrantMethod(), "grant", v1.bytes("grant.request"));
      DynamicMessage map = message(message(granted, "blocks"), "file_map");
      Object incarnation = field(granted, "incarnation");
      Object lease = field(map, "lease_id");
      exchange(
          old,
          MetadataPlaneGrpc.getRenewMethod(),
          "renew",
          about("renew.request", incarnation, lease));
      exchange(
          old,
          MetadataPlaneGrpc.getListLeasesMethod(),
          "listleases",
          v1.bytes("listleases.request"));
      dataNode.hdfs.delete(block);
      dataNode.service.sweep();
      exchange(old, MetadataPlaneGrpc.getRecallsMethod(), "recalls", v1.bytes("recalls.request"));
      exchange(
          old,
          MetadataPlaneGrpc.getReturnMethod(),
          "return",
          about("return.request", incarnation, lease));
      assertThat(dataNode.links()).isEmpty();
    }
  }

  @Test
  void requestWithAFieldOfTomorrowIsAnswered() throws Exception {
    GrantFixture dataNode = new GrantFixture(root);
    dataNode.hdfs.write(1, 5000);
    byte[] recorded = v1.bytes("grant.request");
    byte[] request = Arrays.copyOf(recorded, recorded.length + 3);
    request[recorded.length] = (byte) 0xC0; // number 1000, a varint
    request[recorded.length + 1] = 0x3E;
    request[recorded.length + 2] = 1;
    try (MetadataServer server =
            MetadataServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
        GreedyClient newer = new GreedyClient("127.0.0.1", server.port())) {
      exchange(newer, MetadataPlaneGrpc.getGrantMethod(), "grant", request);
    }
  }

  /** The recorded request about what was granted this time. */
  private byte[] about(String name, Object incarnation, Object lease) throws Exception {
    DynamicMessage.Builder request = v1.read(name, v1.bytes(name)).toBuilder();
    request.setField(request.getDescriptorForType().findFieldByName("incarnation"), incarnation);
    request.setRepeatedField(request.getDescriptorForType().findFieldByName("lease_ids"), 0, lease);
    return request.build().toByteArray();
  }

  private DynamicMessage exchange(
      GreedyClient old, MethodDescriptor<?, ?> method, String name, byte[] request)
      throws Exception {
    byte[] reply = old.firstAnswer(method, request);
    String replyName = name + ".reply";
    assertThat(v1.text(replyName, reply))
        .as(name)
        .isEqualTo(v1.text(replyName, v1.bytes(replyName)));
    return v1.read(replyName, reply);
  }

  private static Object field(DynamicMessage message, String name) {
    return message.getField(message.getDescriptorForType().findFieldByName(name));
  }

  private static DynamicMessage message(DynamicMessage message, String name) {
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
    return (DynamicMessage)
        (field.isRepeated() ? message.getRepeatedField(field, 0) : message.getField(field));
  }

  @Test
  void dataNodeOfVersionOneIsUnderstoodAsItWas() throws Exception {
    AtomicLong nanos = new AtomicLong();
    List<FileMap> lost = new ArrayList<>();
    RecordedDataNode old = new RecordedDataNode(v1);
    Server server =
        InProcessServerBuilder.forName("v1")
            .directExecutor()
            .addService(old.service())
            .build()
            .start();
    try (MetadataClient client = client(nanos, lost)) {
      List<MapOutcome> outcomes =
          client.grant(
              "v1",
              List.of(
                  new BlockAsk(new TokenedBlock(FakeHdfs.block(1), FakeHdfs.RECORDED_TOKEN)),
                  new BlockAsk(new TokenedBlock(FakeHdfs.block(2), FakeHdfs.RECORDED_TOKEN))));
      FileMap map = outcomes.get(0).map();
      assertThat(map.blockLength()).isEqualTo(5000);
      assertThat(map.device()).isEqualTo(GrantFixture.DEVICE);
      assertThat(outcomes.get(1).refusal().reason()).isEqualTo(FallbackReason.REPLICA_NOT_FOUND);

      nanos.addAndGet(TimeUnit.SECONDS.toNanos(40));
      map.guard().touch(nanos.get());
      client.tend();
      assertThat(map.guard().remainingNanos(nanos.get()))
          .isEqualTo(Duration.ofSeconds(58).toNanos());

      nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
      old.recall();
      await().atMost(LONG).untilAsserted(() -> assertThat(lost).containsExactly(map));
    } finally {
      server.shutdownNow();
    }
    assertThat(old.requests()).containsExactly("hello", "grant", "recalls", "renew", "return");
  }

  private static MetadataClient client(AtomicLong nanos, List<FileMap> lost) {
    return new MetadataClient(
        new MetadataClientSettings(
            "client-0123456789abcdef",
            LONG,
            LONG,
            Duration.ofSeconds(2),
            new ProtocolRange(1, 1)), // else it does not send the recorded tokens
        new InProcess(),
        nanos::get,
        new ClientCounters(),
        new MapListener() {
          @Override
          public void lost(FileMap map) {
            lost.add(map);
          }

          @Override
          public void ranOut(FileMap map) {}
        });
  }

  private static final class InProcess implements ChannelFactory {
    @Override
    public ManagedChannel open(String endpoint) {
      return InProcessChannelBuilder.forName(endpoint).directExecutor().build();
    }

    @Override
    public void close() {}
  }
}
