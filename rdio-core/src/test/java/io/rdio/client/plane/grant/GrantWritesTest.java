// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.client.plane.grant.GrantWritesFixture.BLOCK;
import static io.rdio.client.plane.grant.GrantWritesFixture.MARGIN;
import static io.rdio.client.plane.grant.GrantWritesFixture.TARGET;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcBytes;
import static io.rdio.client.plane.grant.GrantWritesFixture.crcs;
import static io.rdio.client.plane.grant.GrantWritesFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.WriteCodec;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.allocate.AllocateCommand;
import io.rdio.datanode.allocate.CommitResult;
import io.rdio.datanode.allocate.FakeWriteRoom;
import io.rdio.datanode.grant.FakeHdfs;
import io.rdio.datanode.grant.GrantFixture;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a writer's client is told of its slots, from a grant to a commit, over real sockets. */
final class GrantWritesTest extends GrantWritesTestBase {
  @Test
  void slotLivesFromAllocateToCommit() throws Exception {
    long asked = fixture.dataNode.nanos.get();
    WriteSlot slot = fixture.allocate(BLOCK);

    assertThat(slot.grant().block()).isEqualTo(BLOCK);
    assertThat(slot.grant().incarnation()).isEqualTo(fixture.room.incarnation());
    assertThat(slot.grant().device()).isEqualTo(GrantFixture.DEVICE);
    assertThat(slot.grant().extents().count()).isEqualTo(2);
    long term = Duration.ofMillis(FakeWriteRoom.LEASE_MILLIS).minus(MARGIN).toNanos();
    assertThat(slot.deadlineNanos()).isEqualTo(asked + term);
    AllocateCommand asking = fixture.room.allocations.get(0);
    assertThat(asking.tokened().token()).isEqualTo(FakeWriteRoom.WRITE_TOKEN);
    assertThat(asking.holder().address()).isEqualTo("127.0.0.1");

    fixture.dataNode.pass(10_000);
    assertThat(fixture.writes.renew(TARGET, List.of(slot)))
        .containsExactly(OptionalLong.of(fixture.dataNode.nanos.get() + term));

    ByteBuffer crcs = crcs(700_000);
    fixture.writes.commit(TARGET, slot, 700_000, crcs);
    assertThat(crcs.remaining()).as("not used up").isEqualTo(crcs.capacity());
    assertThat(fixture.room.committed.get(BLOCK)).isEqualTo(crcBytes(700_000));
  }

  @Test
  void crcsOfTheLargestBlockGoInParts() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.writes.commit(TARGET, slot, 1L << 30, crcs(1L << 30));

    assertThat(fixture.room.committed.get(BLOCK)).isEqualTo(crcBytes(1L << 30)).hasSize(8 << 20);
  }

  @Test
  void sameCommitAgainSucceedsAgain() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.writes.commit(TARGET, slot, 1000, crcs(1000));
    fixture.writes.commit(TARGET, slot, 1000, crcs(1000));

    assertThat(fixture.room.commits).hasSize(2);
    assertThat(fixture.room.committed).hasSize(1);
  }

  @Test
  void greetingTellsOfSlots() throws Exception {
    PlaneGreeting greeting = fixture.client.hello(fixture.endpoint());
    PlaneGreeting.Volume volume = greeting.volumes().get(0);

    assertThat(greeting.writeIoMillis()).isEqualTo(FakeWriteRoom.IO_MILLIS);
    assertThat(volume.writeRefusal()).isNull();
    assertThat(volume.freeSlots()).isEqualTo(5);
  }

  @Test
  void listHasLeasesOfBothKinds() throws Exception {
    BlockKey readable = fixture.dataNode.hdfs.write(5, 5000);
    fixture.client.grant(fixture.endpoint(), List.of(FakeHdfs.ask(readable)));
    fixture.allocate(BLOCK);
    fixture.allocate(FakeHdfs.block(2));

    List<GrantedLease> leases = fixture.client.listLeases(fixture.endpoint());

    assertThat(leases)
        .extracting(GrantedLease::block)
        .containsExactly(readable, BLOCK, FakeHdfs.block(2));
    assertThat(leases).extracting(GrantedLease::write).containsExactly(false, true, true);
    assertThat(leases.get(1).clientId()).startsWith("client");
    assertThat(leases.get(1).pinnedBytes()).isEqualTo(FakeWriteRoom.SLOT_BYTES);
  }

  @Test
  void slotsAreRenewedInBatches() throws Exception {
    List<WriteSlot> slots = new ArrayList<>(Collections.nCopies(1_500, fixture.allocate(BLOCK)));
    slots.add(fixture.allocate(FakeHdfs.block(2)));
    fixture.writes.abort(TARGET, List.of(new Ended(slots.get(0), SlotEnd.QUIET)));

    List<OptionalLong> renewed = fixture.writes.renew(TARGET, slots);

    assertThat(fixture.room.aborts).containsExactly("1 QUIET");
    assertThat(renewed).hasSize(1_501);
    assertThat(renewed.subList(0, 1_500)).containsOnly(OptionalLong.empty());
    assertThat(renewed.get(1_500)).isPresent();
  }

  @Test
  void abortSaysOfWhichSlotsItCameTooLate() throws Exception {
    List<Ended> all = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      all.add(new Ended(fixture.allocate(FakeHdfs.block(i)), SlotEnd.QUIET));
    }
    assertThat(fixture.writes.abort(TARGET, all.subList(1, 3))).isEmpty();
    assertThat(fixture.writes.abort(TARGET, all.subList(0, 3)))
        .containsExactly(all.get(1), all.get(2));

    List<Ended> twoRequests = new ArrayList<>(Collections.nCopies(1_000, all.get(3)));
    twoRequests.add(all.get(1));

    assertThat(fixture.writes.abort(TARGET, twoRequests))
        .as("all but the first one")
        .hasSize(1_000)
        .endsWith(all.get(3), all.get(1));
  }

  /** Each request is told of by itself: what was heard in time by one is not late for another. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void requestOfAnAbortThatIsNotAnsweredIsLateForItsOwnSlots(int failing) throws Exception {
    Ended one = new Ended(fixture.allocate(FakeHdfs.block(1)), SlotEnd.QUIET);
    Ended other = new Ended(fixture.allocate(FakeHdfs.block(2)), SlotEnd.QUIET);
    List<Ended> twoRequests = new ArrayList<>(Collections.nCopies(WriteCodec.LEASES_MAX, one));
    twoRequests.add(other);
    AtomicInteger requests = new AtomicInteger();
    fixture.room.before = () -> requireNot(failing, requests.incrementAndGet());

    List<Ended> late = fixture.writes.abort(TARGET, twoRequests);

    assertThat(requests).as("the room is asked once for each").hasValue(2);
    assertThat(late).hasSize(WriteCodec.LEASES_MAX);
    if (failing == 1) {
      assertThat(late).containsOnly(one);
      assertThat(fixture.room.aborts).containsExactly("2 QUIET");
    } else {
      assertThat(late).endsWith(other);
      assertThat(fixture.room.aborts).containsExactly("1 QUIET");
    }
  }

  @Test
  void abortThatIsNotAnsweredAtAllSaysWhy() throws Exception {
    Ended ended = new Ended(fixture.allocate(BLOCK), SlotEnd.QUIET);
    fixture.room.before = () -> requireNot(1, 1);

    assertThat(refusal(() -> fixture.writes.abort(TARGET, List.of(ended))).detail())
        .contains("abort");
  }

  private static void requireNot(int failing, int request) {
    if (failing == request) {
      throw new IllegalStateException("by the test");
    }
  }

  @Test
  void refusedCommitHasItsReason() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.room.committing =
        CompletableFuture.completedFuture(
            new CommitResult.Refused(FallbackReason.CHECKSUM_MISMATCH, "chunk 3"));

    FallbackException refusal =
        refusal(() -> fixture.writes.commit(TARGET, slot, 1000, crcs(1000)));

    assertThat(refusal.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(refusal.detail()).contains("chunk 3", BLOCK.toString());
  }

  @Test
  void busyDataNodeIsAskedAgain() throws Exception {
    WriteSlot slot = fixture.allocate(BLOCK);
    fixture.room.busy = new FallbackException(FallbackReason.DATANODE_BUSY, "8 commits under way");
    assertThat(refusal(() -> fixture.writes.commit(TARGET, slot, 1000, crcs(1000))).reason())
        .isEqualTo(FallbackReason.DATANODE_BUSY);

    fixture.room.busy = null;
    fixture.writes.commit(TARGET, slot, 1000, crcs(1000));

    assertThat(fixture.room.committed).containsKey(BLOCK);
  }

  @Test
  void leaseThatRanOutOnItsWayIsGivenBack() {
    fixture.room.before = () -> fixture.dataNode.pass(FakeWriteRoom.LEASE_MILLIS);

    assertThat(refusal(() -> fixture.allocate(BLOCK)).reason())
        .isEqualTo(FallbackReason.LEASE_EXPIRED);
    assertThat(fixture.room.aborts).containsExactly("1 UNWRITTEN");
  }

  @Test
  void nobodyAtThePort() {
    fixture.stopServing();

    assertThat(refusal(() -> fixture.allocate(BLOCK)).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(refusal(() -> fixture.allocate(BLOCK)).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
  }
}
