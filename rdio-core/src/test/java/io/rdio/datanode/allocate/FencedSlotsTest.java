// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.BLOCK;
import static io.rdio.datanode.allocate.WriteFixture.block;
import static io.rdio.datanode.allocate.WriteFixture.command;
import static io.rdio.datanode.allocate.WriteFixture.content;
import static io.rdio.datanode.allocate.WriteFixture.crcs;
import static io.rdio.datanode.allocate.WriteFixture.isOf;
import static io.rdio.datanode.allocate.WriteFixture.reason;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.write.SlotEnd;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** W8: whom slots are lent to, and who is shut out before one is somebody else's. */
final class FencedSlotsTest {
  private static final long T = 30_000;
  private static final long I = 60_000;
  private static final long AGENT = 0x5244_0000_0000_1000L;
  private static final long KEY = AGENT + 1;
  private static final WriteConfig FENCED =
      WriteFixture.config(T).fencing(WriteConfig.Fencing.DEMANDED).build();

  @TempDir Path root;

  private final FakeAgentFences fences = new FakeAgentFences();
  private WriteFixture fixture;

  @BeforeEach
  void start() {
    fences.keys.put(AGENT, KEY);
    fixture = new WriteFixture(root, FENCED, fences);
  }

  private WriteGrantData lend(long id) {
    WriteGrantData grant = fixture.allocate("a", block(id), AGENT);
    assertThat(grant.fenced()).isTrue();
    return grant;
  }

  private AllocateResult.Refused refused(long agent) {
    AllocateResult result = fixture.room.allocate(command("a", block(9), BLOCK, agent), 1).join();
    assertThat(result).isInstanceOf(AllocateResult.Refused.class);
    AllocateResult.Refused refused = (AllocateResult.Refused) result;
    assertThat(refused.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
    assertThat(fixture.writer.hasRbw(block(9))).isFalse();
    return refused;
  }

  private boolean isKept(WriteGrantData grant) {
    return fixture.leased().stream().anyMatch(file -> isOf(file, grant));
  }

  private void pass(long millis) {
    fixture.pass(millis);
    fixture.room.upkeep();
  }

  @Test
  void hostThatIsNotRegisteredIsToldWithWhatToRegister() {
    assertThat(refused(AGENT + 4096).unregistered()).isEqualTo(WriteFixture.DEVICE);
    assertThat(refused(0).unregistered()).isEqualTo(WriteFixture.DEVICE);
    assertThat(fixture.status().free()).isEqualTo(4);
    assertThat(fixture.status().refusal()).isNull();
  }

  @Test
  void nothingIsLentWhileTheDeviceIsNotReserved() {
    fences.obstacle = "another host's";
    AllocateResult.Refused refused = refused(AGENT);
    assertThat(refused.unregistered()).isNull();
    assertThat(refused.detail()).contains("another host's");
    assertThat(fixture.status().refusal()).isNotNull().hasMessageContaining("another host's");

    fences.obstacle = null;
    lend(1);
  }

  @Test
  void nothingIsLentWhereTheTargetCannotShutAnybodyOut() {
    fences.unsupported = true;
    assertThat(refused(AGENT).unregistered()).isNull();
  }

  /** Where it is only wished for. */
  @Test
  void elsewhereTimeAloneHasToDo() throws IOException {
    Path wished = Files.createDirectory(root.resolve("wished"));
    fixture = new WriteFixture(wished, WriteFixture.config(T).build(), fences);
    assertThat(refused(AGENT + 4096).unregistered()).isNotNull();
    lend(1);
    fences.unsupported = true;
    WriteGrantData free = fixture.allocate("a", block(2), AGENT);
    assertThat(free.fenced()).isFalse();

    pass(T + I);
    pass(0);

    assertThat(isKept(free)).isFalse();
    assertThat(fences.shutOut).as("of the slot that was lent behind a fence").containsExactly(KEY);
  }

  @Test
  void hostWhoseLeaseRanOutIsShutOutBehindTheQuarantineAndNotBefore() {
    WriteGrantData grant = lend(1);
    pass(T);
    pass(I - 1);
    assertThat(fences.shutOut).isEmpty();
    assertThat(isKept(grant)).isTrue();

    pass(1);

    assertThat(fences.shutOut).containsExactly(KEY);
    assertThat(isKept(grant)).isFalse();
    assertThat(fixture.room.counters().fenced()).isEqualTo(1);
    refused(AGENT);
    fences.keys.put(AGENT, KEY + 1);
    lend(2);
  }

  @Test
  void slotIsKeptUntilItsHostIsShutOut() {
    WriteGrantData grant = lend(1);
    fences.failure = Obstacle.FAILED;
    pass(T + I);
    pass(0);
    pass(T + I);
    assertThat(isKept(grant)).isTrue();
    assertThat(fixture.status().quarantined()).isEqualTo(1);

    fences.failure = null;
    pass(T + I);

    assertThat(fences.shutOut).containsExactly(KEY);
    assertThat(isKept(grant)).isFalse();
  }

  /** Its target has none any more: then nobody knows who writes. */
  @Test
  void alsoWhereThatWasPossibleOnceAndIsNoMore() {
    WriteGrantData grant = lend(1);
    fences.failure = Obstacle.UNSUPPORTED;
    pass(T + I);
    pass(T + I);
    assertThat(isKept(grant)).isTrue();

    fixture.start(WriteFixture.config(T).build()); // by now nobody demands it
    pass(T + I);
    assertThat(isKept(grant)).isFalse();
  }

  @Test
  void whoSaysThatAWriteIsUnderWayIsShutOut() {
    WriteGrantData grant = lend(1);
    fixture.abort("a", grant, SlotEnd.UNDER_WAY);
    pass(I - 1);
    assertThat(isKept(grant)).isTrue();
    pass(1);
    assertThat(fences.shutOut).containsExactly(KEY);
    assertThat(isKept(grant)).isFalse();
  }

  @Test
  void whoIsQuietGoesOnWriting() {
    WriteGrantData quiet = lend(1);
    WriteGrantData unwritten = lend(2);
    fixture.abort("a", quiet, SlotEnd.QUIET);
    fixture.abort("a", unwritten, SlotEnd.UNWRITTEN);
    assertThat(isKept(unwritten)).isFalse();
    pass(I);
    assertThat(isKept(quiet)).isFalse();
    assertThat(fences.shutOut).isEmpty();
    lend(3);
  }

  /** Its host is shut out, and does not know it: it hears that its slot has ended before. */
  @Test
  void whoIsQuietTooLateHearsIt() {
    WriteGrantData inTime = lend(1);
    assertThat(fixture.abort("a", inTime, SlotEnd.QUIET)).isZero();
    assertThat(fixture.abort("a", inTime, SlotEnd.QUIET)).as("told again").isEqualTo(1);
    WriteGrantData ranOut = lend(2);
    pass(T);
    assertThat(fixture.abort("a", ranOut, SlotEnd.QUIET)).isEqualTo(1);
    fences.keys.put(AGENT, KEY + 1);
    WriteGrantData ofBefore = lend(3);
    fixture.start(FENCED);
    assertThat(fixture.abort("a", ofBefore, SlotEnd.QUIET)).isEqualTo(1);
  }

  /** The answer to the first Allocate was lost, say: the host goes on with what it knows of. */
  @Test
  void hostThatIsToBeShutOutIsLentNothingMoreByItsKey() {
    lend(1);
    WriteGrantData open = lend(2);
    pass(T / 2);
    fixture.renew("a", open);
    pass(T / 2);

    AllocateResult.Refused refused = refused(AGENT);

    assertThat(refused.unregistered()).isEqualTo(WriteFixture.DEVICE);
    assertThat(refused.doomedKey()).isEqualTo(KEY);
    assertThat(fixture.renew("a", open)).as("blocks of before go on").isPositive();
    fences.keys.put(AGENT, KEY + 1);
    lend(3);
    pass(I);
    assertThat(fences.shutOut).as("nobody's any more").containsExactly(KEY);
  }

  @Test
  void soIsItUntilItIsShutOut() {
    lend(1);
    fences.failure = Obstacle.FAILED;
    pass(T);
    pass(I);
    assertThat(refused(AGENT).doomedKey()).isEqualTo(KEY);
    pass(T + I - 1);
    assertThat(refused(AGENT).doomedKey()).isEqualTo(KEY);

    fences.failure = null;
    pass(1);

    assertThat(fences.shutOut).containsExactly(KEY);
    assertThat(refused(AGENT).doomedKey()).isZero();
  }

  /** Whoever was quiet before a restart is not known to be, and would be shut out in mid-block. */
  @Test
  void soIsAHostWhoseSlotARestartHasFound() {
    fixture.abort("a", lend(1), SlotEnd.QUIET);
    lend(2);
    fixture.start(FENCED);

    assertThat(refused(AGENT).doomedKey()).isEqualTo(KEY);
    fences.keys.put(AGENT, KEY + 1);
    lend(3);
  }

  /** Its volumes are partitions of the same one: the host is shut out of all of it. */
  @Test
  void soIsItOnAllVolumesOfTheDevice() throws IOException {
    Storage other = new Storage("DS-2", Files.createDirectory(root.resolve("other")), true);
    fixture.writer.mount(other);
    fixture.room.upkeep();
    fixture.writer.elsewhere = other;
    lend(1);
    fixture.writer.elsewhere = null;
    assertThat(fixture.leased()).as("it is the other volume's").isEmpty();

    pass(T);

    assertThat(refused(AGENT).doomedKey()).isEqualTo(KEY);
  }

  /** A commit comes behind the last answer (W11), whatever becomes of it. */
  @Test
  void soDoesWhoCommits() throws IOException {
    WriteGrantData good = lend(1);
    byte[] content = content(5_000);
    WriteFixture.write(fixture.leased().get(0), content);
    assertThat(fixture.commit("a", good, 5_000, crcs(content)))
        .isEqualTo(new CommitResult.Committed());
    WriteGrantData refused = lend(2);
    assertThat(reason(fixture.commit("a", refused, 5_000, crcs(content))))
        .isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.abort("a", refused, SlotEnd.QUIET)).as("is told late").isZero();

    pass(T + I);

    assertThat(fixture.leased()).isEmpty();
    assertThat(fences.shutOut).isEmpty();
  }

  @Test
  void restartDoesNotForgetWhomToShutOut() {
    WriteGrantData grant = lend(1);
    fixture.start(FENCED);
    pass(T + I - 1);
    assertThat(isKept(grant)).isTrue();
    assertThat(fences.shutOut).isEmpty();

    pass(1);

    assertThat(fences.shutOut).containsExactly(KEY);
    assertThat(isKept(grant)).isFalse();
  }

  /** Another volume is another device. */
  @Test
  void replicaOnAnotherVolumeIsOfAHostThatIsRegisteredThere() throws IOException {
    Storage other = new Storage("DS-2", Files.createDirectory(root.resolve("other")), true);
    fixture.writer.mount(other);
    fixture.room.upkeep();
    fixture.writer.elsewhere = other;
    fences.strange = other.volumeRoot();

    assertThat(refused(AGENT).unregistered()).isEqualTo(WriteFixture.DEVICE);

    assertThat(fixture.pooled()).hasSize(4);
    assertThat(fixture.leased()).isEmpty();
  }
}
