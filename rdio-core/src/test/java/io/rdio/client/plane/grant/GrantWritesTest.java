// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.write.SlotEnd;
import io.rdio.core.write.UnregisteredHostException;
import io.rdio.datanode.allocate.AllocateResult;
import io.rdio.datanode.allocate.CommitResult;
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
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A writer's client and a DataNode's write plane, over real sockets. */
final class GrantWritesTest {
  private static final DataNodeId TARGET = new DataNodeId("datanode", 1, 0);
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration MARGIN = Duration.ofSeconds(2);
  private static final byte[] NO_TOKEN = {};
  private static final BlockKey BLOCK = FakeHdfs.block(1);

  @TempDir Path root;
  private final WatchedChannels channels = new WatchedChannels();
  private GrantFixture dataNode;
  private FakeWriteRoom room = new FakeWriteRoom(11);
  private MetadataServer server;
  private @Nullable MetadataClient client;
  private GrantWrites writes;

  @BeforeEach
  void start() throws IOException {
    dataNode = new GrantFixture(root);
    serve(0, ProtocolRange.SUPPORTED, room);
    connect(ProtocolRange.SUPPORTED, false);
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
    }
    channels.close();
    server.close();
  }

  private void serve(int port, ProtocolRange versions, @Nullable FakeWriteRoom lender)
      throws IOException {
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            new MetadataServerPolicy(MetadataServerLimits.of(8), address -> false, versions),
            dataNode.service,
            lender,
            null);
  }

  private void connect(ProtocolRange versions, boolean trusting) {
    client =
        new MetadataClient(
            new MetadataClientSettings("client", LONG, LONG, MARGIN, versions),
            channels,
            dataNode.nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap map) {}

              @Override
              public void ranOut(FileMap map) {}
            });
    writes = new GrantWrites(node -> endpoint(), client, new WriteSettings(LONG, trusting, LONG));
  }

  private String endpoint() {
    return "127.0.0.1:" + server.port();
  }

  private void switchTokensOff() {
    dataNode.hdfs.switchTokensOff();
    room.tokensOn = false;
  }

  private static SlotAsk ask(BlockKey block) {
    return new SlotAsk(block, "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 5);
  }

  private WriteSlot allocate(BlockKey block) throws FallbackException {
    return writes.allocate(TARGET, FakeWriteRoom.WRITE_TOKEN, ask(block));
  }

  private static FallbackException refusal(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private static ByteBuffer crcs(long length) {
    return ByteBuffer.wrap(crcBytes(length));
  }

  private static byte[] crcBytes(long length) {
    byte[] crcs = new byte[(int) ((length + 511) / 512 * 4)];
    new Random(length).nextBytes(crcs);
    return crcs;
  }

  @Test
  void slotLivesFromAllocateToCommit() throws Exception {
    long asked = dataNode.nanos.get();
    WriteSlot slot = allocate(BLOCK);

    assertThat(slot.grant().block()).isEqualTo(BLOCK);
    assertThat(slot.grant().incarnation()).isEqualTo(room.incarnation());
    assertThat(slot.grant().device()).isEqualTo(GrantFixture.DEVICE);
    assertThat(slot.grant().extents().count()).isEqualTo(2);
    long term = Duration.ofMillis(FakeWriteRoom.LEASE_MILLIS).minus(MARGIN).toNanos();
    assertThat(slot.deadlineNanos()).isEqualTo(asked + term);
    assertThat(room.allocations.get(0).tokened().token()).isEqualTo(FakeWriteRoom.WRITE_TOKEN);
    assertThat(room.allocations.get(0).holder().address()).isEqualTo("127.0.0.1");

    dataNode.pass(10_000);
    assertThat(writes.renew(TARGET, List.of(slot)))
        .containsExactly(OptionalLong.of(dataNode.nanos.get() + term));

    ByteBuffer crcs = crcs(700_000);
    writes.commit(TARGET, slot, 700_000, crcs);
    assertThat(crcs.remaining()).as("not used up").isEqualTo(crcs.capacity());
    assertThat(room.committed.get(BLOCK)).isEqualTo(crcBytes(700_000));
  }

  @Test
  void crcsOfTheLargestBlockGoInParts() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    writes.commit(TARGET, slot, 1L << 30, crcs(1L << 30));

    assertThat(room.committed.get(BLOCK)).isEqualTo(crcBytes(1L << 30)).hasSize(8 << 20);
  }

  @Test
  void sameCommitAgainSucceedsAgain() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    writes.commit(TARGET, slot, 1000, crcs(1000));
    writes.commit(TARGET, slot, 1000, crcs(1000));

    assertThat(room.commits).hasSize(2);
    assertThat(room.committed).hasSize(1);
  }

  @Test
  void tokenOfAnotherModeIsRefused() {
    FallbackException refusal = refusal(() -> writes.allocate(TARGET, FakeHdfs.TOKEN, ask(BLOCK)));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(refusal.detail()).contains("not of mode WRITE");
  }

  @Test
  void tokenWithAnotherPasswordIsRefused() {
    byte[] forged = "\6tokenW\7SECRETW\0\0".getBytes(US_ASCII);
    assertThat(refusal(() -> writes.allocate(TARGET, forged, ask(BLOCK))).reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(room.allocations).isEmpty();
  }

  @Test
  void forgedTokenIsRefusedInASessionTooThatAnotherOpened() throws Exception {
    allocate(BLOCK);
    byte[] forged = "\6tokenW\7SECRETW\0\0".getBytes(US_ASCII);

    assertThat(refusal(() -> writes.allocate(TARGET, forged, ask(FakeHdfs.block(2)))).reason())
        .isEqualTo(FallbackReason.TOKEN_REFUSED);
    assertThat(room.allocations).hasSize(1);
  }

  @Test
  void withoutTokenAndTlsNobodyIsAsked() {
    switchTokensOff();

    assertThat(refusal(() -> writes.allocate(TARGET, NO_TOKEN, ask(BLOCK))).reason())
        .isEqualTo(FallbackReason.WRITE_UNPROVEN);
    assertThat(room.allocations).isEmpty();
  }

  @Test
  void clientThatTrustsThePortWritesWithoutTokens() throws Exception {
    switchTokensOff();
    connect(ProtocolRange.SUPPORTED, true);
    WriteSlot slot = writes.allocate(TARGET, NO_TOKEN, ask(BLOCK));

    assertThat(writes.renew(TARGET, List.of(slot)).get(0)).isPresent();
    writes.commit(TARGET, slot, 1000, crcs(1000));
    writes.abort(TARGET, List.of(new Ended(slot, SlotEnd.UNDER_WAY)));

    assertThat(room.committed).containsKey(BLOCK);
    assertThat(room.aborts).containsExactly("1 UNDER_WAY");
  }

  @ParameterizedTest(name = "client to {0}, DataNode to {1}, writes on: {2}")
  @CsvSource({"3,2,true", "2,3,true", "3,3,false"})
  void whoeverKnowsNoWritesReadsAsEver(int clientMax, int serverMax, boolean on) throws Exception {
    server.close();
    serve(0, new ProtocolRange(1, serverMax), on ? room : null);
    connect(new ProtocolRange(1, clientMax), false);

    FallbackException refusal = refusal(() -> allocate(BLOCK));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
    assertThat(room.allocations).isEmpty();
    PlaneGreeting.Volume volume = client.hello(endpoint()).volumes().get(0);
    assertThat(volume.refusal()).isNull();
    assertThat(volume.writeRefusal().reason()).isEqualTo(FallbackReason.WRITE_UNSUPPORTED);
    BlockKey readable = dataNode.hdfs.write(5, 5000);
    assertThat(client.grant(endpoint(), List.of(FakeHdfs.ask(readable))).get(0).refusal()).isNull();
  }

  /** W8: the host learns with which device to register, and which key will not do. */
  @Test
  void hostThatIsNotRegisteredIsToldWithWhatToRegister() throws Exception {
    room.allocating =
        CompletableFuture.completedFuture(
            new AllocateResult.Refused(
                FallbackReason.WRITE_UNFENCED, "by the test", GrantFixture.DEVICE, -5));

    assertThat(refusal(() -> allocate(BLOCK)))
        .isInstanceOfSatisfying(
            UnregisteredHostException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
              assertThat(e.detail()).contains("by the test");
              assertThat(e.device()).isEqualTo(GrantFixture.DEVICE);
              assertThat(e.ioMillis()).isEqualTo(FakeWriteRoom.IO_MILLIS);
              assertThat(e.doomedKey()).isEqualTo(-5);
            });

    room.allocating =
        CompletableFuture.completedFuture(
            new AllocateResult.Refused(FallbackReason.WRITE_UNFENCED, "another host's"));
    assertThat(refusal(() -> allocate(BLOCK))).isNotInstanceOf(UnregisteredHostException.class);
  }

  @Test
  void greetingTellsOfSlots() throws Exception {
    PlaneGreeting greeting = client.hello(endpoint());
    PlaneGreeting.Volume volume = greeting.volumes().get(0);

    assertThat(greeting.writeIoMillis()).isEqualTo(FakeWriteRoom.IO_MILLIS);
    assertThat(volume.writeRefusal()).isNull();
    assertThat(volume.freeSlots()).isEqualTo(5);
  }

  @Test
  void listHasLeasesOfBothKinds() throws Exception {
    BlockKey readable = dataNode.hdfs.write(5, 5000);
    client.grant(endpoint(), List.of(FakeHdfs.ask(readable)));
    allocate(BLOCK);
    allocate(FakeHdfs.block(2));

    List<GrantedLease> leases = client.listLeases(endpoint());

    assertThat(leases)
        .extracting(GrantedLease::block)
        .containsExactly(readable, BLOCK, FakeHdfs.block(2));
    assertThat(leases).extracting(GrantedLease::write).containsExactly(false, true, true);
    assertThat(leases.get(1).clientId()).startsWith("client");
    assertThat(leases.get(1).pinnedBytes()).isEqualTo(FakeWriteRoom.SLOT_BYTES);
  }

  @Test
  void slotsAreRenewedInBatches() throws Exception {
    List<WriteSlot> slots = new ArrayList<>(Collections.nCopies(1_500, allocate(BLOCK)));
    slots.add(allocate(FakeHdfs.block(2)));
    writes.abort(TARGET, List.of(new Ended(slots.get(0), SlotEnd.QUIET)));

    List<OptionalLong> renewed = writes.renew(TARGET, slots);

    assertThat(room.aborts).containsExactly("1 QUIET");
    assertThat(renewed).hasSize(1_501);
    assertThat(renewed.subList(0, 1_500)).containsOnly(OptionalLong.empty());
    assertThat(renewed.get(1_500)).isPresent();
  }

  @Test
  void refusedCommitHasItsReason() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    room.committing =
        CompletableFuture.completedFuture(
            new CommitResult.Refused(FallbackReason.CHECKSUM_MISMATCH, "chunk 3"));

    FallbackException refusal = refusal(() -> writes.commit(TARGET, slot, 1000, crcs(1000)));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(refusal.detail()).contains("chunk 3", BLOCK.toString());
  }

  @Test
  void busyDataNodeIsAskedAgain() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    room.busy = new FallbackException(FallbackReason.DATANODE_BUSY, "8 commits under way");
    assertThat(refusal(() -> writes.commit(TARGET, slot, 1000, crcs(1000))).reason())
        .isEqualTo(FallbackReason.DATANODE_BUSY);

    room.busy = null;
    writes.commit(TARGET, slot, 1000, crcs(1000));

    assertThat(room.committed).containsKey(BLOCK);
  }

  private void restart() throws IOException {
    int port = server.port();
    server.close();
    channels.awaitDisconnected();
    dataNode.start(GrantFixture.CONFIG);
    FakeWriteRoom before = room;
    room = new FakeWriteRoom(12);
    room.committed.putAll(before.committed);
    serve(port, ProtocolRange.SUPPORTED, room);
  }

  /** W8: it does not know that each write was answered. */
  private void isToldLate(WriteSlot slot) {
    FallbackException late =
        refusal(() -> writes.abort(TARGET, List.of(new Ended(slot, SlotEnd.QUIET))));
    assertThat(late.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    assertThat(late.detail()).contains("1 of 1 leases");
  }

  @Test
  void restartedDataNodeRenewsNothingAndLendsAnew() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    restart();

    assertThat(writes.renew(TARGET, List.of(slot))).containsExactly(OptionalLong.empty());
    isToldLate(slot);
    assertThat(room.aborts).isEmpty();
    WriteSlot next = allocate(FakeHdfs.block(2));

    assertThat(next.grant().incarnation()).isEqualTo(12);
    assertThat(writes.renew(TARGET, List.of(slot, next)).get(1)).isPresent();
  }

  @Test
  void restartedDataNodeSaysOfACommitWhatItDid() throws Exception {
    WriteSlot done = allocate(BLOCK);
    WriteSlot lost = allocate(FakeHdfs.block(2));
    writes.commit(TARGET, done, 1000, crcs(1000));
    restart();

    writes.commit(TARGET, done, 1000, crcs(1000));
    assertThat(refusal(() -> writes.commit(TARGET, lost, 1000, crcs(1000))).reason())
        .isEqualTo(FallbackReason.REPLICA_CHANGED);
  }

  @Test
  void slotOfAnotherSessionIsNotRenewed() throws Exception {
    WriteSlot slot = allocate(BLOCK);
    MetadataClient first = client;
    try {
      connect(ProtocolRange.SUPPORTED, false); // the same id, and a session of its own
      WriteSlot own = allocate(FakeHdfs.block(2));
      WriteSlot taken =
          new GrantedSlot(
              slot.block(), slot.grant(), slot.deadlineNanos(), GrantedSlot.of(own).session());

      assertThat(writes.renew(TARGET, List.of(taken))).containsExactly(OptionalLong.empty());
      isToldLate(taken);
      assertThat(room.aborts).isEmpty();
    } finally {
      first.close();
    }
  }

  @Test
  void leaseThatRanOutOnItsWayIsGivenBack() {
    room.before = () -> dataNode.pass(FakeWriteRoom.LEASE_MILLIS);

    assertThat(refusal(() -> allocate(BLOCK)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    assertThat(room.aborts).containsExactly("1 UNWRITTEN");
  }

  @Test
  void nobodyAtThePort() {
    String gone = endpoint();
    server.close();
    writes = new GrantWrites(node -> gone, client, new WriteSettings(LONG, false, LONG));

    assertThat(refusal(() -> allocate(BLOCK)).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(refusal(() -> allocate(BLOCK)).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }
}
