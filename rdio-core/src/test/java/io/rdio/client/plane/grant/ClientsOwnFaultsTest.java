// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
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
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that stands still, or that looks at its answers late: no fault of the DataNode. */
final class ClientsOwnFaultsTest {
  private static final String ENDPOINT = "datanode:9860";
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final long OTHER_INCARNATION = 77;

  @TempDir Path root;
  private final List<FileMap> lost = new ArrayList<>();
  private GrantFixture dataNode;
  private MetadataServer server;
  private ManagedChannel channel;
  private ImpostorPlane plane;
  private MetadataClient client;
  private BlockKey block;

  @BeforeEach
  void start() throws Exception {
    dataNode = new GrantFixture(root);
    dataNode.hdfs.switchTokensOff(); // so that answers can be changed
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, dataNode.service);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    plane = new ImpostorPlane(channel);
    client =
        new MetadataClient(
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
    block = dataNode.hdfs.write(1, 5000);
  }

  @AfterEach
  void stop() throws InterruptedException {
    client.close();
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    server.close();
  }

  private FileMap granted(BlockKey wanted) throws FallbackException {
    MapOutcome outcome =
        client.grant(ENDPOINT, List.of(new BlockAsk(new TokenedBlock(wanted)))).get(0);
    assertThat(outcome.refusal()).isNull();
    return Objects.requireNonNull(outcome.map());
  }

  private FileMap granted() throws FallbackException {
    return granted(block);
  }

  /** Whether it was refused for this block or as a whole. */
  private FallbackReason refusal() {
    try {
      return Objects.requireNonNull(
              client
                  .grant(ENDPOINT, List.of(new BlockAsk(new TokenedBlock(block))))
                  .get(0)
                  .refusal())
          .reason();
    } catch (FallbackException e) {
      return e.reason();
    }
  }

  private void standStill() {
    dataNode.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(GrantFixture.LEASE_MILLIS));
  }

  private boolean isValid(FileMap map) {
    return map.guard().isValid(dataNode.nanos.get());
  }

  @Test
  void leaseThatRanOutWhileTheClientStoodStillIsAskedForAnew() throws Exception {
    plane.grant =
        (asked, reply) -> {
          plane.grant = (again, later) -> later;
          standStill();
          return reply;
        };

    assertThat(isValid(granted())).isTrue();
    assertThat(client.leasesHeld()).isEqualTo(1);
  }

  @Test
  void clientThatStandsStillAllTheTimeBlamesNobodyForItsLeases() throws Exception {
    plane.grant =
        (asked, reply) -> {
          standStill();
          return reply;
        };

    assertThat(refusal()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    assertThat(plane.requests(GrantRequest.class)).hasSize(2);
    plane.grant = (asked, reply) -> reply;
    assertThat(isValid(granted())).isTrue();
  }

  @Test
  void leaseThatIsShorterThanTheMarginIsNonsenseAsEver() {
    plane.grant = (asked, reply) -> reply.toBuilder().setLeaseMillis(1_000).build();

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_ERROR);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  private static StatusRuntimeException noAnswer() {
    return Status.DEADLINE_EXCEEDED.asRuntimeException();
  }

  @Test
  void answerThatWasMissedWhileTheClientStoodStillIsAskedForAnew() throws Exception {
    plane.grant =
        (asked, reply) -> {
          plane.grant = (again, later) -> later;
          standStill();
          throw noAnswer();
        };

    assertThat(isValid(granted())).isTrue();
  }

  @Test
  void greetingThatWasMissedWhileTheClientStoodStillIsSaidAnew() throws Exception {
    plane.hello =
        (asked, reply) -> {
          plane.hello = (again, later) -> later;
          standStill();
          throw noAnswer();
        };

    assertThat(isValid(granted())).isTrue();
    assertThat(plane.requests(HelloRequest.class)).hasSize(2);
  }

  @Test
  void dataNodeThatDoesNotAnswerAgainIsLeftAlone() {
    plane.grant =
        (asked, reply) -> {
          standStill();
          throw noAnswer();
        };

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(plane.requests(GrantRequest.class)).hasSize(2);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  @Test
  void dataNodeThatDoesNotAnswerARunningClientIsAskedOnce() {
    plane.grant =
        (asked, reply) -> {
          throw noAnswer();
        };

    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(plane.requests(GrantRequest.class)).hasSize(1);
    assertThat(refusal()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }

  private void renew(FileMap map) {
    dataNode.pass(GrantFixture.LEASE_MILLIS / 2);
    map.guard().touch(dataNode.nanos.get());
    client.tend();
  }

  @Test
  void renewalThatWasMissedWhileTheClientStoodStillIsNoFailure() throws Exception {
    FileMap map = granted();
    plane.renewal =
        (asked, reply) -> {
          standStill();
          throw noAnswer();
        };
    renew(map);

    assertThat(plane.requests(RenewRequest.class)).hasSize(1);
    assertThat(isValid(granted())).isTrue();
  }

  private <T> T laterThanTheRestart(Supplier<T> late, List<FileMap> ofTheNewOne, BlockKey wanted) {
    dataNode.nanos.addAndGet(1);
    plane.grant = (asked, reply) -> reply.toBuilder().setIncarnation(OTHER_INCARNATION).build();
    try {
      ofTheNewOne.add(granted(wanted));
    } catch (FallbackException e) {
      throw new AssertionError(e);
    }
    dataNode.nanos.addAndGet(1);
    return late.get();
  }

  @Test
  void lateGrantOfAnEarlierIncarnationEndsNoLeaseOfThePresentOne() throws Exception {
    granted();
    List<FileMap> present = new ArrayList<>();
    BlockKey other = dataNode.hdfs.write(2, 5000);
    plane.grant = (asked, late) -> this.<GrantReply>laterThanTheRestart(() -> late, present, other);

    FileMap asked = granted(dataNode.hdfs.write(3, 5000));

    assertThat(GrantOrigin.of(asked).incarnation()).isEqualTo(OTHER_INCARNATION);
    assertThat(isValid(present.get(0))).isTrue();
    assertThat(lost).doesNotContain(present.get(0)).hasSize(1);
    assertThat(client.leasesHeld()).isEqualTo(2);
  }

  @Test
  void lateRenewalByAnEarlierIncarnationEndsNoLeaseOfThePresentOne() throws Exception {
    FileMap earlier = granted();
    List<FileMap> present = new ArrayList<>();
    BlockKey other = dataNode.hdfs.write(2, 5000);
    plane.renewal =
        (asked, late) -> this.<RenewReply>laterThanTheRestart(() -> late, present, other);
    renew(earlier);

    assertThat(isValid(present.get(0))).isTrue();
    assertThat(lost).containsExactly(earlier);
    assertThat(client.leasesHeld()).isEqualTo(1);
  }

  @Test
  void leaseOfAnIncarnationThatIsGoneIsNotHeld() throws Exception {
    granted();
    List<FileMap> present = new ArrayList<>();
    BlockKey second = dataNode.hdfs.write(2, 5000);
    BlockKey third = dataNode.hdfs.write(3, 5000);
    plane.grant =
        (asked, late) -> {
          GrantReply first = this.<GrantReply>laterThanTheRestart(() -> late, present, second);
          plane.grant =
              (again, alsoLate) ->
                  this.<GrantReply>laterThanTheRestart(() -> alsoLate, present, third);
          // The one that was seen last is not seen again before this one is asked.
          dataNode.nanos.addAndGet(-2);
          return first;
        };
    block = dataNode.hdfs.write(4, 5000);

    assertThat(refusal()).isEqualTo(FallbackReason.SESSION_UNKNOWN);
    assertThat(client.leasesHeld()).isEqualTo(present.size());
  }
}
