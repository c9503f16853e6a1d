// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static io.rdio.client.write.GroupFixture.LENGTH;
import static io.rdio.client.write.GroupFixture.UNIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import io.rdio.core.write.SlotEnd;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas of a block that fail, and leave the others alone. */
final class GroupWriterFailureTest {
  private final FallbackException silence =
      new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no answer");
  private final GroupFixture group = new GroupFixture();
  private final WritersFixture fixture = group.writers;

  @AfterEach
  void close() {
    group.close();
  }

  private static FallbackException refusal(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneThatRefusesIsNamedAndNothingIsLeftOpen(int which) {
    group.nodes.get(which).refusal =
        new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none left");

    TargetRefusedException refusal =
        catchThrowableOfType(TargetRefusedException.class, () -> group.open(group.threads));
    assertThat(refusal.target()).isEqualTo(which);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.SLOTS_EXHAUSTED);
    assertThat(refusal.detail()).isEqualTo("none left");
    fixture.tend();
    for (int i = 0; i < 3; i++) {
      assertThat(group.nodes.get(i).aborted)
          .hasSize(i == which ? 0 : 1)
          .allMatch(ended -> ended.how() == SlotEnd.UNWRITTEN);
    }
  }

  @Test
  void deviceThatThisHostDoesNotHaveRefusesItsTargetOnly() {
    group.nodes.get(1).noDevice =
        new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "not here");

    TargetRefusedException refusal =
        catchThrowableOfType(TargetRefusedException.class, () -> group.open(group.threads));
    assertThat(refusal.target()).isEqualTo(1);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource(names = {"NATIVE_LIBRARY_UNAVAILABLE", "AGENT_BUSY", "INTERRUPTED"})
  void whatIsWrongWithThisHostIsNoTargetsFault(FallbackReason reason) {
    group.nodes.get(0).refusal = new FallbackException(FallbackReason.SLOTS_EXHAUSTED, "none left");
    group.nodes.get(2).noDevice = new FallbackException(reason, "here");

    FallbackException refusal = refusal(() -> group.open(group.threads));
    assertThat(refusal).isNotInstanceOf(TargetRefusedException.class);
    assertThat(refusal.reason()).isEqualTo(reason);
  }

  @Test
  void accidentLeavesNothingOpen() {
    fixture.plane.before =
        () -> {
          if (fixture.plane.asked().equals("c")) {
            throw new IllegalStateException("for the test");
          }
        };
    assertThatThrownBy(() -> group.open(Runnable::run)).hasMessage("for the test");
    fixture.plane.before = () -> {};
    fixture.tend();
    assertThat(group.nodes.get(0).aborted).hasSize(1);
    assertThat(group.nodes.get(1).aborted).hasSize(1);
  }

  @Test
  void oneThatFailsInAWriteLeavesTheOthersAlone() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, UNIT);
      group.nodes.get(1).failsWrites = true;
      group.write(writer, UNIT, 2 * UNIT);
      assertThat(writer.alive()).isEqualTo(0b101);
      fixture.tend();
      assertThat(group.nodes.get(1).aborted).as("given up at once").hasSize(1);
      group.nodes.get(1).failsWrites = false;
      group.write(writer, 2 * UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b101);
    }
    group.requireReplica(0);
    group.requireReplica(2);
    assertThat(group.nodes.get(1).commits).isEmpty();
    fixture.tend();
    assertThat(group.nodes.get(1).aborted).hasSize(1);
  }

  @Test
  void writeFailsWhenNoReplicaIsLeft() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      group.nodes.forEach(node -> node.failsWrites = true);

      assertThat(refusal(() -> group.write(writer, 0, UNIT)).reason())
          .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
      assertThat(writer.alive()).isZero();
      assertThat(refusal(() -> writer.commit(UNIT, group.crcs, 2)).reason())
          .isEqualTo(FallbackReason.DEVICE_IO_ERROR);
    }
    fixture.tend();
    assertThat(group.nodes).allSatisfy(node -> assertThat(node.aborted).hasSize(1));
  }

  @Test
  void commitsThatFailAreLeftOut() throws Exception {
    group.nodes.get(0).commitRefusals.add(refused());
    group.nodes.get(2).commitRefusals.add(silence);
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b110);
      assertThat(writer.alive()).isEqualTo(0b110);
    }
    group.requireReplica(2);
    assertThat(fixture.plane.committed).doesNotContainKey("a 1");
  }

  /** The NameNode makes the third one; a writer that waited would seem to hang. */
  @Test
  void dataNodeThatDoesNotAnswerIsNotWaitedForLongWhenOthersDid() throws Exception {
    beSilent(2, 200);
    try (GroupWriter writer = group.open(Runnable::run)) { // in their order
      group.write(writer, 0, LENGTH);
      fixture.plane.before = () -> fixture.standStill(Duration.ofSeconds(1));
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b011);
      fixture.plane.before = () -> {};
    }
    assertThat(group.nodes.get(2).commits).hasSize(5);
  }

  /** The first replica alone is of no use to who needs two. */
  @Test
  void slowDataNodeIsWaitedForUntilAsManyAsNeededHaveCommitted() throws Exception {
    group.nodes.forEach(node -> node.leaseMillis = 600_000);
    beSilent(1, 30);
    beSilent(2, 200);
    try (GroupWriter writer = group.open(Runnable::run)) { // in their order
      group.write(writer, 0, LENGTH);
      fixture.plane.before = () -> fixture.standStill(Duration.ofSeconds(1));
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b011);
      fixture.plane.before = () -> {};
    }
    assertThat(group.nodes.get(1).commits).hasSize(31);
    assertThat(group.nodes.get(2).commits).as("from then on").hasSize(5);
  }

  @Test
  void tooFewReplicasAreNotWaitedForForEver() throws Exception {
    group.nodes.forEach(node -> node.leaseMillis = 600_000);
    beSilent(1, 200);
    beSilent(2, 200);
    try (GroupWriter writer = group.open(Runnable::run)) {
      group.write(writer, 0, LENGTH);
      fixture.plane.before = () -> fixture.standStill(Duration.ofSeconds(1));
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b001);
      fixture.plane.before = () -> {};
    }
    assertThat(group.nodes.get(1).commits).hasSize(60);
    assertThat(group.nodes.get(2).commits).hasSize(60);
  }

  private void beSilent(int node, int times) {
    for (int i = 0; i < times; i++) {
      group.nodes.get(node).commitRefusals.add(silence);
    }
  }

  private static FallbackException refused() {
    return new FallbackException(FallbackReason.REPLICA_CHANGED, "recovery has it");
  }

  @Test
  void commitFailsWhenAllDo() throws Exception {
    group.nodes.forEach(node -> node.commitRefusals.add(refused()));
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, LENGTH);
      assertThat(refusal(() -> writer.commit(LENGTH, group.crcs, 2)).reason())
          .isEqualTo(FallbackReason.REPLICA_CHANGED);
      assertThat(writer.alive()).isZero();
    }
  }

  @Test
  void leaseOfOneThatIsLostTakesThatOneAlone() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      group.write(writer, 0, UNIT);
      group.nodes.get(2).endsLeases = true;
      fixture.run(Duration.ofSeconds(20));
      group.write(writer, UNIT, LENGTH);
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b011);
    }
  }

  @Test
  void oneThatFailsWithMoreUnderWayLeavesTheOthersAlone() throws Exception {
    try (GroupWriter writer = group.open(group.threads)) {
      group.nodes.get(1).failsWrites = true;
      group.begin(writer, 0, UNIT);
      group.begin(writer, UNIT, 3 * UNIT);
      group.begin(writer, 3 * UNIT, LENGTH);
      writer.finishOldest();
      assertThat(writer.alive()).isEqualTo(0b101);
      writer.finishOldest();
      writer.finishOldest();
      assertThat(writer.commit(LENGTH, group.crcs, 2)).isEqualTo(0b101);
    }
    group.requireReplica(0);
    group.requireReplica(2);
    fixture.tend();
    assertThat(group.nodes.get(1).aborted).hasSize(1);
  }
}
