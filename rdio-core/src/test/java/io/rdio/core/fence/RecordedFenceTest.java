// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A fence that is done again and again, also by who died on the way. */
final class RecordedFenceTest {
  private static final String WWID = "uuid.1";
  private static final Instant NOW = Instant.parse("2026-11-27T02:00:00Z");

  @TempDir Path folder;
  private final TestNamespace namespace = new TestNamespace();
  private FenceRecords records;

  @BeforeEach
  void reserve() throws IOException {
    records = new FenceRecords(folder);
    namespace.take("dead", HostKey.of("dead"));
  }

  private RecordedFence fence(Reservations reservations) {
    HostFence device =
        new DeviceFence(reservations, HostKey.of("here"), ReservationType.WRITE_EXCLUSIVE);
    return new RecordedFence(
        records, device, "dead", WWID, "here", Clock.fixed(NOW, ZoneOffset.UTC));
  }

  /** Both steps; says whether there was anything to do. */
  private boolean run(Reservations reservations) throws IOException {
    RecordedFence fence = fence(reservations);
    boolean begun = fence.shutOut();
    if (begun) {
      fence.confirm();
    }
    return begun;
  }

  private FenceState state() throws IOException {
    return records.find("dead", WWID).orElseThrow().state();
  }

  private void isFenced() throws IOException {
    assertThat(state()).isEqualTo(FenceState.FENCED);
    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.takesWritesOf("here")).isTrue();
  }

  @Test
  void isDoneOnceAndHarmlessAgain() throws Exception {
    assertThat(run(namespace.of("here"))).isTrue();
    isFenced();
    ReservationReport first = namespace.of("here").report();

    assertThat(run(namespace.of("here"))).isFalse();

    isFenced();
    assertThat(namespace.of("here").report()).isEqualTo(first);
  }

  /** Killed before or behind the device's command of this number, then done again. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void whoeverDiesBetweenTwoCommandsDoesItAgain(int command) throws Exception {
    for (boolean behind : new boolean[] {false, true}) {
      namespace.forget();
      records.remove("dead", WWID);
      namespace.take("dead", HostKey.of("dead"));
      killed(command, behind);

      assertThat(state().mayFree()).isFalse();
      run(namespace.of("here"));
      isFenced();
    }
  }

  /** The same where the host is registered and holds nothing, which takes one command more. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void whoeverDiesWhileARegistrationIsTakenAwayDoesItAgain(int command) throws Exception {
    for (boolean behind : new boolean[] {false, true}) {
      namespace.forget();
      records.remove("dead", WWID);
      namespace.of("dead").register(HostKey.of("dead"));
      killed(command, behind);

      assertThat(state().mayFree()).isFalse();
      run(namespace.of("here"));
      isFenced();
    }
  }

  /** A target that forgot. RECALLED would say that this host never had the device. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void whoeverDiesWhileItIsDoneAnewDoesItAgain(int command) throws Exception {
    for (boolean behind : new boolean[] {false, true}) {
      run(namespace.of("here"));
      namespace.forget();
      namespace.take("dead", HostKey.of("dead"));
      killed(command, behind);

      assertThat(state()).as("behind: %s", behind).isEqualTo(stateWhereItWasLost(command));
      run(namespace.of("here"));
      isFenced();
    }
  }

  /** By two commands it looks whether the fence stands, and whether the host is registered. */
  private static FenceState stateWhereItWasLost(int command) {
    return switch (command) {
      case 0 -> FenceState.FENCED;
      case 1 -> FenceState.LOST;
      default -> FenceState.FENCING;
    };
  }

  private void killed(int command, boolean behind) {
    TestNamespace.Interruption kill =
        (count, then) -> {
          if (count == command && then == behind) {
            throw new IllegalStateException("killed");
          }
        };
    assertThatThrownBy(() -> run(namespace.of("here", kill))).hasMessage("killed");
  }

  @ParameterizedTest
  @EnumSource(
      value = FenceState.class,
      names = {"RECALLED", "FENCING", "LOST"})
  void goesOnFromTheRecord(FenceState before) throws Exception {
    records.write(new FenceRecord("dead", WWID, "here", before, NOW));

    assertThat(run(namespace.of("here"))).isTrue();

    isFenced();
  }

  /** Behind the last command, and before the record. */
  @Test
  void deviceThatIsFencedAlreadyIsOnlyRecorded() throws Exception {
    run(namespace.of("here"));
    records.write(new FenceRecord("dead", WWID, "here", FenceState.FENCING, NOW));
    ReservationReport first = namespace.of("here").report();

    assertThat(run(namespace.of("here"))).isTrue();

    isFenced();
    assertThat(namespace.of("here").report()).isEqualTo(first);
  }

  @Test
  void targetThatForgotIsNotBelieved() throws Exception {
    run(namespace.of("here"));
    namespace.forget();
    namespace.take("dead", HostKey.of("dead"));

    assertThat(run(namespace.of("here"))).isTrue();

    isFenced();
  }

  /** This host may have mounted it since, which RECALLED would deny; and nobody may free it. */
  @Test
  void hostThatItsTargetForgotAndThatDoesNotComeBackIsRecordedAsLost() throws Exception {
    run(namespace.of("here"));
    namespace.forget();

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> run(namespace.of("here")))
          .isInstanceOf(ReservationException.class)
          .hasMessageContaining("no host is registered by")
          .hasMessageContaining("fix: turn the host off");
      assertThat(state()).isEqualTo(FenceState.LOST);
      assertThat(state().mayFree()).isFalse();
    }
    assertThat(namespace.of("here").report().registrants()).isEmpty();
  }

  /** What a DataNode here takes anew does not end what the host has under way. */
  @Test
  void fenceThatWasLostIsNotFoundAgain() throws Exception {
    hostThatItsTargetForgotAndThatDoesNotComeBackIsRecordedAsLost();
    namespace.take("here", HostKey.of("here"));

    assertThatThrownBy(() -> run(namespace.of("here")))
        .hasMessageContaining("no host is registered by");

    assertThat(state()).isEqualTo(FenceState.LOST);
  }

  /** Started again without them. */
  @Test
  void targetThatTakesNoReservationsAnyMoreHasNoFence() throws Exception {
    run(namespace.of("here"));
    namespace.unsupported();

    assertThatThrownBy(() -> run(namespace.of("here"))).hasMessageContaining("takes no");

    assertThat(state()).isEqualTo(FenceState.LOST);
  }

  @Test
  void fenceWhoseDeviceDoesNotAnswerIsNotSaidToBeLost() throws Exception {
    run(namespace.of("here"));
    namespace.reachable(false);

    assertThatThrownBy(() -> run(namespace.of("here"))).hasMessageContaining("no path");

    assertThat(state()).isEqualTo(FenceState.FENCED);
  }

  @Test
  void beforeItIsConfirmedItIsNotDone() throws Exception {
    assertThat(fence(namespace.of("here")).shutOut()).isTrue();

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(state().mayFree()).isFalse();
  }

  /** The target forgets, and the host takes its reservation again before it has heard of it. */
  @Test
  void hostThatCameBackMeanwhileIsNotShutOut() throws Exception {
    RecordedFence fence = fence(namespace.of("here"));
    fence.shutOut();
    namespace.forget();
    namespace.take("dead", HostKey.of("dead"));

    assertThatThrownBy(fence::confirm)
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("15 s later is no more")
        .hasMessageContaining("fix: repeat it");

    assertThat(state()).isEqualTo(FenceState.FENCING);
    run(namespace.of("here"));
    isFenced();
  }

  @Test
  void whatCannotBeDoneIsNotRecordedAsDone() throws Exception {
    namespace.reachable(false);

    assertThatThrownBy(() -> run(namespace.of("here"))).hasMessageContaining("no path");

    assertThat(state()).isEqualTo(FenceState.RECALLED);
    assertThat(state().mayFree()).isFalse();
  }

  /** What it has under way was not ended, whatever this host has left on the device, or holds. */
  @Test
  void hostThatNeverRegisteredIsNotSaidToBeShutOut() throws Exception {
    namespace.forget();
    Reservations here = namespace.of("here");
    here.register(HostKey.of("here"));
    assertThatThrownBy(() -> run(here)).hasMessageContaining("no host is registered by");
    namespace.take("here", HostKey.of("here"));
    assertThatThrownBy(() -> run(here)).hasMessageContaining("no host is registered by");
  }

  /** Else this host would not open its own volume any more. */
  @Test
  void firstTryThatIsAMistakeLeavesNoRecord() throws Exception {
    namespace.forget();
    Reservations here = namespace.of("here");
    namespace.take("here", HostKey.of("here"));
    assertThatThrownBy(() -> run(here)).hasMessageContaining("no host is registered by");
    assertThat(records.all()).as("a device of this host").isEmpty();
    HostFence device = new DeviceFence(here, HostKey.of("dead"), ReservationType.WRITE_EXCLUSIVE);
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    RecordedFence own = new RecordedFence(records, device, "dead", WWID, "dead", clock);
    assertThatThrownBy(own::shutOut).hasMessageContaining("own key");
    assertThat(records.all()).as("this host itself").isEmpty();
    namespace.unsupported();
    assertThatThrownBy(() -> run(here)).hasMessageContaining("takes no reservations");
    assertThat(records.all()).as("a device without reservations").isEmpty();
  }

  /** The target may have been started again before, with the host cut off all along. */
  @Test
  void firstTryOfAHostThatIsNotRegisteredStaysRecorded() throws Exception {
    namespace.forget();
    assertThatThrownBy(() -> run(namespace.of("here")))
        .hasMessageContaining("no host is registered by");
    assertThat(state()).isEqualTo(FenceState.RECALLED);
    assertThat(namespace.of("here").report().registrants()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"other", "here"})
  void firstTryOnADeviceThatAnotherMachineHoldsStaysRecorded(String name) throws Exception {
    namespace.forget();
    namespace.take("another machine", HostKey.of(name));
    assertThatThrownBy(() -> run(namespace.of("here"))).isInstanceOf(ReservationException.class);
    assertThat(state()).isEqualTo(FenceState.RECALLED);
  }

  /** The host may have been registered when that one was made, and this host held nothing. */
  @Test
  void recordOfATryBeforeIsNotForgotten() throws Exception {
    namespace.reachable(false);
    assertThatThrownBy(() -> run(namespace.of("here"))).hasMessageContaining("no path");
    namespace.reachable(true);
    namespace.forget();
    namespace.take("here", HostKey.of("here"));

    assertThatThrownBy(() -> run(namespace.of("here")))
        .hasMessageContaining("no host is registered by");

    assertThat(state()).isEqualTo(FenceState.RECALLED);
  }

  /** This host under the name before, which holds the device by another key. */
  @ParameterizedTest
  @EnumSource(
      value = FenceState.class,
      names = {"FENCING", "FENCED", "LOST"})
  void recordByAnotherNameIsNotWrittenOver(FenceState before) throws Exception {
    FenceRecord record = new FenceRecord("dead", WWID, "elsewhere", before, NOW);
    records.write(record);
    ReservationReport first = namespace.of("here").report();

    assertThatThrownBy(() -> run(namespace.of("here")))
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("by elsewhere, and this host is here")
        .hasMessageContaining("fix:")
        .hasMessageContaining("--as elsewhere")
        .hasMessageContaining("--undo dead");

    assertThat(records.all()).containsExactly(record);
    assertThat(namespace.of("here").report()).isEqualTo(first);
  }

  @Test
  void tryByAnotherNameThatTouchedNothingIsGoneOnWith() throws Exception {
    records.write(new FenceRecord("dead", WWID, "elsewhere", FenceState.RECALLED, NOW));

    run(namespace.of("here"));

    isFenced();
    assertThat(records.find("dead", WWID).orElseThrow().by()).isEqualTo("here");
  }

  @Test
  void damagedRecordIsNoRecord() throws Exception {
    run(namespace.of("here"));
    Path file = folder.resolve("dead@uuid.1.fence");
    Files.write(file, new byte[] {1, 2});

    assertThatThrownBy(() -> run(namespace.of("here")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("fix:");
  }
}
