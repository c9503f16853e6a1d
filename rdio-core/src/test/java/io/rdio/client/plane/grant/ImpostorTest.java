// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.Refusal;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A client whose DataNode's port somebody else took, or stands in front of; with block tokens. */
final class ImpostorTest {
  private static final String ENDPOINT = "datanode:9860";
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path root;
  private final List<FileMap> lost = new ArrayList<>();
  private GrantFixture dataNode;
  private MetadataServer server;
  private ManagedChannel channel;
  private ImpostorPlane impostor;
  private MetadataClient client;
  private BlockKey block;

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    impostor = new ImpostorPlane(channel);
    client = client(impostor);
    block = dataNode.hdfs.write(1, 5000);
  }

  @AfterEach
  void stop() throws InterruptedException {
    client.close();
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    server.close();
  }

  private MetadataClient client(ImpostorPlane plane) {
    return new MetadataClient(
        new MetadataClientSettings("client", LONG, LONG, Duration.ofSeconds(2)),
        plane,
        dataNode.nanos::get,
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

  private MapOutcome ask() throws FallbackException {
    return client
        .grant(ENDPOINT, List.of(new BlockAsk(new TokenedBlock(block, FakeHdfs.TOKEN))))
        .get(0);
  }

  private FileMap granted() throws FallbackException {
    MapOutcome outcome = ask();
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  /** Whether it was refused for this block or as a whole. */
  private FallbackReason refusal() {
    try {
      return Objects.requireNonNull(ask().refusal()).reason();
    } catch (FallbackException e) {
      return e.reason();
    }
  }

  private long left(FileMap map) {
    return map.guard().remainingNanos(dataNode.nanos.get());
  }

  /** Makes the client renew its lease, and the answers are there when it returns. */
  private void renew(FileMap map) {
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    map.guard().touch(dataNode.nanos.get());
    client.tend();
  }

  @Test
  void leaseLivesFromGrantToReturnAndThePasswordStaysAtHome() throws Exception {
    FileMap map = granted();
    long term = left(map);
    renew(map);
    assertThat(left(map)).as("renewed").isEqualTo(term);
    client.discard(map);
    client.tend();

    assertThat(dataNode.links()).isEmpty();
    assertThat(impostor.requests).hasSizeGreaterThanOrEqualTo(6);
    assertThat(impostor.saw("token".getBytes(US_ASCII))).as("the identifier").isTrue();
    assertThat(impostor.saw("secret".getBytes(US_ASCII))).as("the password").isFalse();
  }

  @Test
  void whoIsNoDataNodeGetsNoSession() {
    impostor.dataNodeIsDown();
    impostor.hello = (asked, reply) -> reply.toBuilder().setProtocolVersion(2).build();

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
    assertThat(refusal()).as("left alone").isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(impostor.requests(GrantRequest.class)).isEmpty();
  }

  @Test
  void sessionThatWasGivenToAnEarlierRequestIsRefused() throws Exception {
    List<OpenSessionReply> earlier = new ArrayList<>();
    impostor.session =
        (asked, reply) -> {
          earlier.add(reply);
          return reply;
        };
    granted();
    client.close();
    impostor = new ImpostorPlane(channel);
    impostor.session = (asked, reply) -> earlier.get(0);
    client = client(impostor);

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
  }

  @Test
  void whoClaimsToSpeakVersionOneOnlyIsAskedForNothing() {
    impostor.hello =
        (asked, reply) -> HelloReply.newBuilder().setProtocolVersion(1).setIncarnation(5).build();

    assertThat(refusal()).isEqualTo(FallbackReason.PROTOCOL_MISMATCH);
    assertThat(impostor.requests(GrantRequest.class)).isEmpty();
    assertThat(impostor.requests(OpenSessionRequest.class)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("io.rdio.client.plane.grant.GrantLies#all")
  void mapThatWasChangedIsNotBelieved(String what, UnaryOperator<GrantReply> lie) {
    impostor.grant = (asked, reply) -> lie.apply(reply);

    assertThat(refusal()).as(what).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
    assertThat(refusal()).as("left alone").isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(client.leasesHeld()).isZero();
  }

  @Test
  void grantThatAnsweredAnEarlierRequestIsRefused() throws Exception {
    List<GrantReply> earlier = new ArrayList<>();
    impostor.grant =
        (asked, reply) -> {
          earlier.add(reply);
          return reply;
        };
    client.discard(granted());
    client.tend();
    dataNode.hdfs.delete(block);
    impostor.grant = (asked, reply) -> earlier.get(0);

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNAUTHENTIC);
  }

  static Stream<Arguments> renewals() {
    return Stream.of(
        arguments("no proof", edit(RenewReply.Builder::clearProof)),
        arguments("a longer term", edit(reply -> reply.setLeaseMillis(0, 3_600_000))),
        arguments("one more", edit(reply -> reply.addLeaseMillis(60_000))),
        arguments(
            "another proof", edit(reply -> reply.setProof(ByteString.copyFrom(new byte[32])))));
  }

  private static UnaryOperator<RenewReply> edit(UnaryOperator<RenewReply.Builder> edit) {
    return reply -> edit.apply(reply.toBuilder()).build();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("renewals")
  void forgedRenewalLengthensNoLease(String what, UnaryOperator<RenewReply> forge)
      throws Exception {
    FileMap map = granted();
    long before = left(map);
    impostor.renewal = (asked, reply) -> forge.apply(reply);

    renew(map);

    assertThat(impostor.requests(RenewRequest.class)).hasSize(1);
    assertThat(left(map))
        .as(what)
        .isEqualTo(before - TimeUnit.MILLISECONDS.toNanos(GrantFixture.LEASE_MILLIS / 2));
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  @Test
  void renewalThatAnsweredAnEarlierRequestLengthensNoLease() throws Exception {
    List<RenewReply> earlier = new ArrayList<>();
    impostor.renewal =
        (asked, reply) -> {
          earlier.add(reply);
          return earlier.get(0);
        };
    FileMap map = granted();
    renew(map);
    long renewed = left(map);

    renew(map);

    assertThat(earlier).hasSize(2);
    assertThat(left(map)).isLessThan(renewed);
  }

  private static GrantReply forgotten() {
    return GrantReply.newBuilder()
        .addBlocks(
            BlockGrant.newBuilder()
                .setRefusal(Refusal.newBuilder().setReason(FallbackReason.SESSION_UNKNOWN.name())))
        .build();
  }

  @Test
  void lieThatTheSessionIsForgottenCostsAnotherQuestionOnly() throws Exception {
    FileMap map = granted();
    block = dataNode.hdfs.write(2, 5000);
    impostor.grant =
        (asked, reply) -> {
          impostor.grant = (again, honest) -> honest;
          return forgotten();
        };

    FileMap second = granted();

    long term = left(map);
    renew(map);
    assertThat(left(map)).as("of the session before the lie").isEqualTo(term);
    assertThat(left(second)).isPositive();
    assertThat(lost).isEmpty();
  }

  /** He has the session opened by another DataNode with the same keys, which proves itself. */
  @Test
  void nobodyRenewsTheLeasesOfASessionThatWasReplaced(@TempDir Path otherRoot) throws Exception {
    GrantFixture other = new GrantFixture(otherRoot);
    FileMap map = granted();
    long before = left(map);
    block = dataNode.hdfs.write(2, 5000);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (MetadataServer theirs = MetadataServer.start(any, 8, other.service)) {
      ManagedChannel toOther =
          NettyChannelBuilder.forAddress("127.0.0.1", theirs.port()).usePlaintext().build();
      impostor.session =
          (asked, reply) -> MetadataPlaneGrpc.newBlockingStub(toOther).openSession(asked);
      impostor.grant =
          (asked, reply) -> {
            impostor.grant = (again, honest) -> GrantReply.getDefaultInstance();
            return forgotten();
          };
      refusal();
      toOther.shutdownNow();
    }
    impostor.renewal =
        (asked, reply) ->
            RenewReply.newBuilder()
                .setIncarnation(dataNode.service.incarnation())
                .addLeaseMillis(TimeUnit.DAYS.toMillis(1))
                .build();

    renew(map);

    assertThat(left(map)).isLessThan(before);
  }

  @Test
  void blockWithoutChecksumsIsBelievedOfWhoProvedHimself() throws Exception {
    dataNode.hdfs.writeWithoutChecksums(block, 5000);

    assertThat(granted().checksum().type()).isEqualTo(ChecksumSpec.Type.NULL);
  }

  @Test
  void blockWithoutChecksumsIsNotBelievedOfAnybody() throws Exception {
    dataNode.hdfs.switchTokensOff();
    dataNode.hdfs.writeWithoutChecksums(block, 5000);
    BlockAsk target = new BlockAsk(new TokenedBlock(block));

    FallbackException refused =
        Objects.requireNonNull(client.grant(ENDPOINT, List.of(target)).get(0).refusal());

    assertThat(refused.reason()).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    assertThat(refused.detail()).contains(Setting.CHECKSUM_TYPE.toString());
  }

  @Test
  void wrongPasswordIsRefusedByTheDataNode() {
    byte[] wrong = "\5token\6sEcret\0\0".getBytes(US_ASCII);

    FallbackException refused =
        catchThrowableOfType(
            FallbackException.class,
            () -> client.grant(ENDPOINT, List.of(new BlockAsk(new TokenedBlock(block, wrong)))));

    assertThat(refused.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(dataNode.service.counters().refusals(FallbackReason.TOKEN_REFUSED)).isEqualTo(1);
    assertThat(dataNode.links()).isEmpty();
  }

  @Test
  void wrongPasswordOfOneBlockCostsThatBlock() throws Exception {
    BlockKey other = dataNode.hdfs.write(2, 5000);
    byte[] wrong = "\5token\6sEcret\0\0".getBytes(US_ASCII);

    List<MapOutcome> outcomes =
        client.grant(
            ENDPOINT,
            List.of(
                new BlockAsk(new TokenedBlock(block, FakeHdfs.TOKEN)),
                new BlockAsk(new TokenedBlock(other, wrong)),
                new BlockAsk(new TokenedBlock(other, new byte[] {1})),
                new BlockAsk(new TokenedBlock(other, FakeHdfs.TOKEN))));

    assertThat(outcomes.get(0).map()).isNotNull();
    for (MapOutcome refused : outcomes.subList(1, 3)) {
      assertThat(Objects.requireNonNull(refused.refusal()).reason())
          .isEqualTo(FallbackReason.TOKEN_REFUSED);
    }
    assertThat(outcomes.get(3).map()).isNotNull();
  }
}
