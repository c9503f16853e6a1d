// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.ReservationType;
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

/** {@code rdio fence} on a device that hosts of agents write to, too (W8), on the host "here". */
final class FenceAgentsTest {
  private static final String MACHINE = "machine of here";
  private static final List<Path> DEVICE = List.of(Path.of("/dev/nvme0n1"));
  private static final long AGENT = AgentKey.next(AgentKey.name(1));

  @TempDir Path folder;
  private final FenceWorkTest.Host here = new FenceWorkTest.Host();
  private final TestNamespace namespace = new TestNamespace();
  private final StringWriter out = new StringWriter();
  private Runnable passing = () -> {};

  @BeforeEach
  void connect() {
    here.connect("nvme0n1", namespace);
  }

  private FenceRecords records() {
    return new FenceRecords(folder);
  }

  private FenceWork work() {
    FenceWork.Here host = new FenceWork.Here("here", Clock.systemUTC(), time -> passing.run());
    return new FenceWork(here, records(), host, new PrintWriter(out, true));
  }

  private boolean status() throws IOException {
    return new FenceView(here, records(), new PrintWriter(out, true)).print(null);
  }

  /** As the DataNode of this name does, and then an agent. */
  private void letAgentsIn(String machine, String name) throws IOException {
    OwnReservation.take(
        namespace.of(machine), HostKey.of(name), ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
    namespace.of("agent").register(AGENT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();
  }

  /** This host is the only one that writes then: else it could not mount the volume. */
  @Test
  void agentsOfTheHostAreShutOutWithIt() throws IOException {
    letAgentsIn("dead", "dead");

    assertThat(work().fence("dead", List.of())).isTrue();

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.takesWritesOf("agent")).isFalse();
    assertThat(namespace.takesWritesOf(MACHINE)).isTrue();
  }

  /** The DataNode of this host has it now: the fence stands, and is not lost for its agents. */
  @Test
  void fenceStandsWhereThisHostLetsAgentsWrite() throws IOException {
    namespace.take("dead", HostKey.of("dead"));
    assertThat(work().fence("dead", DEVICE)).isTrue();
    letAgentsIn(MACHINE, "here");

    assertThat(status()).isTrue();
    assertThat(work().fence("dead", DEVICE)).isTrue();
    assertThat(namespace.takesWritesOf("agent")).isTrue();
    assertThat(work().hold("here", DEVICE)).isTrue();
    assertThat(namespace.takesWritesOf("agent")).as("what the DataNode has stays so").isTrue();

    assertThat(work().undo("dead", DEVICE)).isTrue();
    assertThat(namespace.of("agent").report().registrants()).isEmpty();
  }

  /** Of a fence that was begun and not done the DataNode, if it lives, keeps what it has. */
  @Test
  void undoOfAFenceThatIsNotDoneTakesNothingFromAgents() throws IOException {
    namespace.take("dead", HostKey.of("dead"));
    passing = () -> namespace.reachable(false);
    assertThat(work().fence("dead", DEVICE)).isFalse();
    namespace.reachable(true);
    namespace.forget();
    letAgentsIn("dead", "dead");

    assertThat(work().undo("dead", DEVICE)).isTrue();

    assertThat(namespace.takesWritesOf("dead")).isTrue();
    assertThat(namespace.takesWritesOf("agent")).isTrue();
  }

  @Test
  void whatIsReleasedIsNotLeftToAgents() throws IOException {
    letAgentsIn(MACHINE, "here");

    assertThat(work().release("here", DEVICE)).isTrue();

    assertThat(namespace.of("agent").report().registrants()).isEmpty();
  }
}
