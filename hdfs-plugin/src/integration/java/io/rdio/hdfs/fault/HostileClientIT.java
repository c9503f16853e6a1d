// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.rdio.core.testing.Requirements;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.RecallsRequest;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnReply;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Somebody takes all that a DataNode's plugin gives, in each way that is known, while another
 * client reads by RDIO, renews its leases, and reads and writes by stock HDFS. The DataNode has a
 * small heap and ends at the first OutOfMemoryError.
 */
@Tag("loop")
@Tag("alone")
class HostileClientIT {
  private static final int BLOCK = 64 << 10;
  private static final int CONNECTIONS = 64;
  private static final int LEASES_MAX = 500;
  private static final int LEASES_OF_ALL_MAX = 2_000;
  private static final long LEASE_HEAP_MAX = 576 << 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final MethodDescriptor<RenewRequest, RenewReply> RENEW =
      MetadataPlaneGrpc.getRenewMethod();
  private static final MethodDescriptor<ReturnRequest, ReturnReply> RETURN =
      MetadataPlaneGrpc.getReturnMethod();
  private static final MethodDescriptor<OpenSessionRequest, OpenSessionReply> OPEN_SESSION =
      MetadataPlaneGrpc.getOpenSessionMethod();

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile large;
  private static Victim victim;
  private static int port;

  private HostileClient hostile;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(256L << 20)
            .dataNodeOption("-Xmx160m")
            .dataNodeOption("-XX:+ExitOnOutOfMemoryError")
            .dataNodeOption("-XX:TieredStopAtLevel=4") // as fast under attack as users' are
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("dfs.datanode.rdio.lease.duration", "6s")
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.datanode.rdio.connections.max", Integer.toString(6 * CONNECTIONS))
            .set("dfs.datanode.rdio.connections.per.address.max", Integer.toString(CONNECTIONS))
            .set("dfs.datanode.rdio.leases.per.address.max", Integer.toString(LEASES_MAX))
            .set("dfs.datanode.rdio.leases.max", Integer.toString(LEASES_OF_ALL_MAX))
            .set("dfs.datanode.rdio.leases.memory.max", Long.toString(LEASE_HEAP_MAX))
            .set("dfs.client.rdio.lease.margin", "500ms")
            .start();
    stock = cluster.fileSystem(false);
    large = SeededFile.write(stock, "/large", 300 * BLOCK, 1);
    port = cluster.clientConf(true).getInt("dfs.client.rdio.datanode.port", 0);
    victim = new Victim(RdioClient.of(cluster), SeededFile.write(stock, "/file", 40 * BLOCK, 2));
    victim.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      if (victim != null) {
        victim.end();
      }
      stock.close();
      cluster.close();
    }
  }

  @BeforeEach
  void begin() {
    hostile = new HostileClient(port);
  }

  @AfterEach
  void end() throws IOException {
    hostile.close();
  }

  private static long metric(String name) throws IOException {
    return ((Number) cluster.dataNode(0).jmx("Hadoop:name=RdioDataNode-*,*").get(name)).longValue();
  }

  /** Reads a file by RDIO and another one by stock HDFS, again and again. */
  private static final class Victim extends Thread {
    private final RdioClient client;
    private final SeededFile file;
    private final AtomicInteger rounds = new AtomicInteger();
    private volatile boolean ends;
    private volatile @Nullable Throwable failure;

    Victim(RdioClient client, SeededFile file) {
      super("victim");
      this.client = client;
      this.file = file;
      // The first call of a JVM on a busy machine may come too late.
      await().atMost(PATIENCE).untilAsserted(() -> client.readByRdio(file));
    }

    @Override
    public void run() {
      long maps = RdioClientContext.counters().mapLoads.sum();
      try {
        while (!ends) {
          client.readByRdio(file);
          assertThat(RdioClientContext.counters().mapLoads.sum())
              .as("maps asked for anew, for their leases were lost")
              .isEqualTo(maps);
          SeededFile written = SeededFile.write(stock, "/written", BLOCK, rounds.get());
          try (FSDataInputStream in = stock.open(written.path())) {
            written.check(0, in.readAllBytes());
          }
          rounds.incrementAndGet();
        }
      } catch (Throwable e) {
        failure = e;
      }
    }

    /** Returns once it has been renewed and served for a while from now on. */
    void goesOn() throws IOException {
      int before = rounds.get();
      long renewals = metric("Renewals");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  failure != null || (rounds.get() >= before + 5 && metric("Renewals") > renewals));
      assertThat(failure).isNull();
    }

    void end() throws Exception {
      ends = true;
      join(PATIENCE.toMillis());
      client.close();
    }
  }

  @Test
  void connectionsByTheThousandAndHalfOfAHandshake() throws Exception {
    byte[] preface = "PRI * HTTP/2.0\r\n".getBytes(StandardCharsets.US_ASCII);
    long refused = metric("ConnectionsRefused");
    int addresses = 4;
    int each = 500;
    for (int i = 0; i < each; i++) {
      for (int address = 1; address <= addresses; address++) {
        hostile.connect(address, i % 2 == 0 ? preface : new byte[0]);
      }
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                metric("ConnectionsRefused") - refused >= (long) addresses * (each - CONNECTIONS));
    victim.goesOn();
  }

  @Test
  void leasesUnderManyNames() throws Exception {
    GrantRequest.Builder request = HostileRequests.grant(Maps.blocks(stock, large.path()));
    ManagedChannel channel = hostile.channel(1);
    long granted = 0;
    for (int name = 0; name < 10; name++) {
      granted +=
          MetadataPlaneGrpc.newBlockingStub(channel)
              .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
              .grant(request.setClientId("name " + name).build())
              .getBlocksList()
              .stream()
              .filter(BlockGrant::hasFileMap)
              .count();
    }
    assertThat(granted).isPositive().isLessThanOrEqualTo(LEASES_MAX);
    victim.goesOn();
  }

  @Test
  void leasesFromManyAddressesUpToTheDataNodesLast() throws Exception {
    // So few that their pins leave enough of the memory for all the leases.
    List<LocatedBlock> blocks = Maps.blocks(stock, large.path()).subList(0, 150);
    try (HostileLeases leases = new HostileLeases(hostile, blocks, 150, "name ")) {
      fillUp(leases, "; raise dfs.datanode.rdio.leases.max");
      assertThat(metric("LeasesHeld")).isGreaterThan(LEASES_MAX);
    }
    othersLeasesRunOut();
  }

  /** Pins and names take the memory then, before there are as many leases as there may be. */
  @Test
  void leasesUnderLongNamesUpToTheMemoryForThem() throws Exception {
    List<LocatedBlock> blocks = Maps.blocks(stock, large.path());
    try (HostileLeases leases = new HostileLeases(hostile, blocks, 15, "n".repeat(240))) {
      fillUp(leases, "; raise dfs.datanode.rdio.leases.memory.max");
    }
    othersLeasesRunOut();
  }

  /** The victim goes on while leases are taken beyond a bound, and the bounds hold. */
  private static void fillUp(HostileLeases leases, String refusal) throws IOException {
    await(refusal)
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              boundsHold();
              assertThat(leases.failures()).isEmpty();
              assertThat(leases.refusals())
                  .as("with %s leases of %s bytes", metric("LeasesHeld"), metric("LeaseHeapBytes"))
                  .anyMatch(each -> each.endsWith(refusal));
            });
    victim.goesOn();
    boundsHold();
    assertThat(leases.isAlive()).isTrue();
    assertThat(leases.failures()).isEmpty();
  }

  private static void boundsHold() throws IOException {
    assertThat(metric("LeasesHeld")).isLessThanOrEqualTo(LEASES_OF_ALL_MAX);
    assertThat(metric("LeaseHeapBytes")).isLessThanOrEqualTo(LEASE_HEAP_MAX);
  }

  private static void othersLeasesRunOut() {
    await("end of leases").atMost(PATIENCE).until(() -> metric("LeasesHeld") == victimsLeases());
  }

  private static long victimsLeases() {
    return victim.file.bytes().length / BLOCK;
  }

  @Test
  void renewalsReturnsAndSessionsWithoutEnd() throws Exception {
    ManagedChannel first = hostile.channel(1);
    long incarnation =
        MetadataPlaneGrpc.newBlockingStub(first)
            .withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .hello(HelloRequest.getDefaultInstance())
            .getIncarnation();
    RenewRequest renewal = HostileRequests.renewal(incarnation, LEASES_MAX);
    RenewRequest tooLarge = HostileRequests.renewal(incarnation, LEASES_MAX + 1);
    ReturnRequest giveBack = HostileRequests.giveBack(incarnation, LEASES_MAX);
    LocatedBlock block = Maps.blocks(stock, large.path()).get(0);
    OpenSessionRequest garbage = HostileRequests.session(block);
    OpenSessionRequest wrongNonce =
        garbage.toBuilder().setNonce(garbage.getTokenIdentifier()).build();
    othersLeasesRunOut();
    Map<String, Map<Status.Code, LongAdder>> ended = new HashMap<>();
    for (int host = 1; host <= 4; host++) {
      ManagedChannel from = hostile.channel(host);
      ended.put("renew" + host, hostile.flood(from, RENEW, renewal, 8));
      ended.put("return" + host, hostile.flood(from, RETURN, giveBack, 8));
      ended.put("too large" + host, hostile.flood(from, RENEW, tooLarge, 8));
      ended.put("session" + host, hostile.flood(from, OPEN_SESSION, garbage, 8));
      ended.put("nonce" + host, hostile.flood(from, OPEN_SESSION, wrongNonce, 8));
    }
    victim.goesOn();
    boundsHold();
    assertThat(metric("LeasesHeld"))
        .as("nothing is given back for others")
        .isEqualTo(victimsLeases());
    ended.forEach(
        (flood, codes) -> {
          boolean isMalformed = flood.startsWith("too") || flood.startsWith("nonce");
          assertThat(codes.keySet())
              .as(flood)
              .contains(isMalformed ? Status.Code.INVALID_ARGUMENT : Status.Code.OK);
        });
  }

  @Test
  void streamsOfRecallsThatNobodyReads() throws Exception {
    int streams = 300;
    for (int i = 0; i < streams; i++) {
      ManagedChannel channel = hostile.channel(1 + i / 30);
      hostile.ask(
          channel,
          MetadataPlaneGrpc.getRecallsMethod(),
          RecallsRequest.newBuilder().setClientId("one client").build());
    }
    await().atMost(PATIENCE).until(() -> hostile.endings().size() >= streams - 1);
    assertThat(hostile.endings()).hasSize(streams - 1);
    assertThat(hostile.endings()).extracting(Status::getCode).containsOnly(Status.Code.ABORTED);
    victim.goesOn();
  }

  @Test
  void listsOfLeasesWithoutEnd() throws Exception {
    for (int i = 0; i < 8; i++) {
      ManagedChannel channel = hostile.channel(1 + i);
      for (int j = 0; j < 500; j++) {
        hostile.ask(
            channel,
            MetadataPlaneGrpc.getListLeasesMethod(),
            ListLeasesRequest.getDefaultInstance());
      }
    }
    victim.goesOn();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(hostile.endings())
                    .extracting(Status::getCode)
                    .contains(Status.Code.RESOURCE_EXHAUSTED));
  }

  @Test
  void callsBrokenOffRapidly() throws Exception {
    ManagedChannel channel = hostile.channel(1);
    hostile.ask(
        channel,
        MetadataPlaneGrpc.getRecallsMethod(),
        RecallsRequest.newBuilder().setClientId("reset").build());
    for (int i = 0; i < 20_000; i++) {
      ClientCall<?, ?> call =
          hostile.ask(
              channel, MetadataPlaneGrpc.getHelloMethod(), HelloRequest.getDefaultInstance());
      call.cancel("enough", null);
    }
    victim.goesOn();
    assertThat(hostile.endings()).as("how the stream beside them ended").isNotEmpty();
  }

  @Test
  void hugeBatchesWhoseAnswersAreNotTaken() throws Exception {
    GrantRequest request = HostileRequests.hugeGrant();
    for (int host = 1; host <= 4; host++) {
      for (int connection = 0; connection < 5; connection++) {
        ManagedChannel channel = hostile.channel(host);
        for (int i = 0; i < 60; i++) {
          hostile.ask(channel, MetadataPlaneGrpc.getGrantMethod(), request);
        }
      }
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(hostile.endings())
                    .extracting(Status::getCode)
                    .contains(Status.Code.RESOURCE_EXHAUSTED));
    victim.goesOn();
  }
}
