// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.write.SlotEnd;
import io.rdio.nativeio.Errno;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writers at a DataNode that lends to registered hosts alone (W8). */
final class RegisteredWritersTest {
  private static final int UNIT = WritersFixture.UNIT;
  private static final Duration IO = Duration.ofMillis(FakeDataNode.IO_MILLIS);

  private final WritersFixture fixture = new WritersFixture();
  private final FakeDataNode node = fixture.dataNode("a");
  private final ByteBuffer bytes = WritersFixture.bytes(UNIT, 1);
  private final ByteBuffer crcs = ByteBuffer.wrap(new byte[4]);

  @BeforeEach
  void demand() {
    node.fence = fixture.registration;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void write(BlockWriter writer, long offset) throws FallbackException {
    writer.write(offset, WritersFixture.address(bytes), UNIT, false);
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  private void isRefused(String why) {
    FallbackException refusal = refusal(() -> fixture.open(node, 99));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED);
    assertThat(refusal.detail()).contains(why);
  }

  /** What a process has to wait for that was not asked to register before. */
  private void settle() {
    isRefused("it registers in 60 s");
    fixture.run(IO);
  }

  /** As its DataNode does it; what is sent from then on the device refuses. */
  private void shutOut() {
    fixture.registration.keys.remove(node.device.wwid());
    node.opened.forEach(device -> device.writeError = -Errno.EBADE);
  }

  private int registrations() {
    return fixture.registration.used.size();
  }

  @Test
  void blockIsWrittenWhenTheHostIsRegistered() throws Exception {
    settle();

    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      writer.commit(UNIT, crcs, new CommitPatience(1));
    }

    assertThat(node.commits).containsExactly(UNIT);
    assertThat(node.lent).singleElement().matches(slot -> slot.grant().fenced());
    fixture.open(node, 2).close();
    assertThat(registrations()).isEqualTo(1);
  }

  @Test
  void hostThatWasShutOutWritesAgainByAnotherKey() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      shutOut();
      assertThat(refusal(() -> write(writer, UNIT)).detail()).contains("EBADE");
    }
    try (BlockWriter writer = fixture.open(node, 2)) {
      write(writer, 0);
      writer.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(registrations()).isEqualTo(2);
    assertThat(fixture.registration.used).doesNotHaveDuplicates();
  }

  @Test
  void leasesOfBeforeAreVoid() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      shutOut();

      isRefused("it registers in 60 s"); // a lease was lost right now

      assertThat(node.leaseOn(node.lent.get(0)).isEnded()).isTrue();
      assertThat(refusal(() -> write(writer, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
      fixture.run(IO);
      fixture.open(node, 2).close();
      assertThat(refusal(() -> write(writer, 0)).reason()).isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
    assertThat(registrations()).isEqualTo(2);
  }

  /** EAGER_REGISTER in the model: the write could land behind the registration. */
  @Test
  void hostDoesNotRegisterWhileAWriteIsUnderWay() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      node.open(0).inWrite =
          () -> {
            shutOut();
            isRefused("when its blocks of before are over");
            fixture.run(IO);
            isRefused("when its blocks of before are over");
          };
      refusal(() -> write(writer, 0));
      node.open(0).inWrite = () -> {};
    }
    assertThat(registrations()).isEqualTo(1);
    fixture.run(IO);
    fixture.open(node, 2).close();
    assertThat(registrations()).isEqualTo(2);
  }

  /** KEEP_ANSWERS in the model: the lease may have run out, and its host been shut out, since. */
  @Test
  void slotThatWasAskedForBeforeARegistrationIsGivenBack() throws Exception {
    settle();
    fixture.open(node, 1).close();
    fixture.tend();
    node.aborted.clear();
    fixture.plane.before =
        () -> {
          fixture.plane.before = () -> {};
          shutOut();
          openOther();
        };

    assertThat(refusal(() -> fixture.open(node, 3)).reason())
        .isEqualTo(FallbackReason.WRITE_UNFENCED);

    assertThat(registrations()).isEqualTo(2);
    fixture.tend();
    assertThat(node.aborted)
        .extracting(Ended::how)
        .containsExactly(SlotEnd.UNWRITTEN, SlotEnd.UNWRITTEN);
  }

  /** Another thread of this process, in the meantime. */
  private void openOther() {
    try {
      fixture.open(node, 2).close();
    } catch (FallbackException e) {
      throw new AssertionError(e);
    }
  }

  /** Its DataNode will shut this host out, by the key of now. */
  @Test
  void hostThatLostALeaseRegistersAnewBeforeItTakesAnother() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.endsLeases = true;
      fixture.run(Duration.ofSeconds(20));
      assertThat(refusal(() -> write(writer, UNIT)).reason())
          .isEqualTo(FallbackReason.LEASE_EXPIRED);
    }
    node.endsLeases = false;

    isRefused("it registers in");

    fixture.run(IO);
    isRefused("not of this host's present registration"); // of the one before, which is replaced
    assertThat(registrations()).isEqualTo(2);
    fixture.open(node, 2).close();
    assertThat(registrations()).isEqualTo(2);
  }

  /** Its DataNode knows of a slot that this host does not: the answer was lost, say. */
  @Test
  void hostThatIsToBeShutOutEndsItsBlocksAndRegistersAnewBeforeItTakesAnother() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
      node.doomedKey = fixture.registration.used.get(0);

      isRefused("when its blocks of before are over");

      writer.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(node.commits).containsExactly(UNIT);

    isRefused("it registers in 60 s");

    fixture.run(IO);
    fixture.open(node, 2).close();
    assertThat(registrations()).isEqualTo(2);
  }

  /** Its DataNode was started anew, say, and does not know of this block that it was quiet. */
  @Test
  void hostThatWasQuietTooLateRegistersAnewToo() throws Exception {
    settle();
    try (BlockWriter writer = fixture.open(node, 1)) {
      write(writer, 0);
    }
    node.hearsLate = ended -> true;
    fixture.tend();
    node.hearsLate = ended -> false;

    isRefused("it registers in 60 s");

    fixture.run(IO);
    isRefused("not of this host's present registration");
    fixture.open(node, 2).close();
    assertThat(registrations()).isEqualTo(2);
  }

  @Test
  void deviceThatAWriteMayReachLateIsNotRegisteredWith() {
    fixture.lateness =
        (path, most) -> {
          throw new FallbackException(FallbackReason.WRITE_UNBOUNDED, path + " " + most);
        };
    FallbackException refusal = refusal(() -> fixture.open(node, 1));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.WRITE_UNBOUNDED);
    assertThat(registrations()).isZero();
  }

  /** So that it costs nothing where nobody demands it. */
  @Test
  void whereNoDataNodeDemandsItNobodyIsRegistered() throws Exception {
    FakeDataNode free = fixture.dataNode("b");
    try (BlockWriter writer = fixture.open(free, 1)) {
      write(writer, 0);
      writer.commit(UNIT, crcs, new CommitPatience(1));
    }
    assertThat(registrations()).isZero();
  }
}
