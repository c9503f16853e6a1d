// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.ReservationReport;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.Reservations;
import io.rdio.core.fence.TestNamespace;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rdio fence} where the target has forgotten, what it says then, and how that is ended. */
final class FenceLostTest {
  private static final String MACHINE = "machine of here";
  private static final List<Path> DEVICE = List.of(Path.of("/dev/nvme0n1"));

  @TempDir Path folder;
  private final FenceWorkTest.Host here = new FenceWorkTest.Host();
  private final TestNamespace namespace = new TestNamespace();
  private final StringWriter out = new StringWriter();

  @BeforeEach
  void fence() throws IOException {
    here.connect("nvme0n1", namespace);
    namespace.take("dead", HostKey.of("dead"));
    assertThat(work("here").fence("dead", DEVICE)).isTrue();
  }

  private FenceRecords records() {
    return new FenceRecords(folder);
  }

  private FenceWork work(String name) {
    FenceWork.Here host = new FenceWork.Here(name, Clock.systemUTC(), time -> {});
    return new FenceWork(here, records(), host, new PrintWriter(out, true));
  }

  private ReservationReport report() throws IOException {
    return namespace.of(MACHINE).report();
  }

  private boolean status() throws IOException {
    return new FenceView(here, records(), new PrintWriter(out, true)).print(null);
  }

  @Test
  void fenceThatWasFoundLostIsLost() throws IOException {
    namespace.forget();
    assertThat(work("here").fence("dead", DEVICE)).isFalse();
    assertThat(records().all()).extracting(FenceRecord::state).containsExactly(FenceState.LOST);

    // As the DataNode does here, and it looks like the fence of before.
    assertThat(work("here").hold("here", DEVICE)).isTrue();

    assertThat(status()).isFalse();
    assertThat(out.toString())
        .contains("dead out of uuid.nvme0n1: NO MORE (LOST since")
        .contains("'rdio fence --undo dead'");
    here.mounted = true;
    assertThat(work("here").undo("dead", DEVICE)).as("mounted").isFalse();
    here.mounted = false;
    assertThat(work("here").undo("dead", DEVICE)).isTrue();
    assertThat(report().registrants()).isEmpty();
    assertThat(records().all()).isEmpty();
    assertThat(status()).isTrue();
  }

  /** Started without them. */
  @Test
  void fenceOfATargetThatTakesNoReservationsAnyMoreCanBeEnded() throws IOException {
    namespace.unsupported();
    assertThat(work("here").fence("dead", DEVICE)).isFalse();
    assertThat(records().all()).extracting(FenceRecord::state).containsExactly(FenceState.LOST);

    assertThat(work("here").undo("dead", DEVICE)).isTrue();

    assertThat(out.toString()).contains("given back; it takes no reservations");
    assertThat(records().all()).isEmpty();
  }

  /** Its DataNode, or {@code --hold}, was started by the new name behind a target that forgot. */
  @Test
  void hostThatGotAnotherNameGivesBackWhatItHoldsByThat() throws IOException {
    namespace.forget();
    assertThat(work("renamed").hold("renamed", DEVICE)).isTrue();

    assertThat(work("renamed").undo("dead", DEVICE)).isTrue();

    assertThat(report().isReserved()).isFalse();
    assertThat(report().registrants()).isEmpty();
    assertThat(out.toString()).contains("given back; not reserved");
    assertThat(records().all()).isEmpty();
  }

  /** By a kind that others hold beside it, whom that is not taken from. */
  @Test
  void whatThisHostStillHoldsIsNotSaidToBeGivenBack() throws IOException {
    namespace.forget();
    long key = HostKey.of("renamed");
    Reservations machine = namespace.of(MACHINE);
    machine.register(key);
    machine.reserve(key, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);

    assertThat(work("renamed").undo("dead", DEVICE)).isFalse();

    assertThat(out.toString())
        .contains("FAILED: namespace: this host still holds it: reserved")
        .contains("fix: 'rdio fence --release HOST'")
        .doesNotContain("given back");
    assertThat(report().isHeldBy(key)).isTrue();
    assertThat(records().all()).hasSize(1);
  }
}
