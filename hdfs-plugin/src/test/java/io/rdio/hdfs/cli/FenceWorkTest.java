// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.FenceRecord;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.FenceState;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.Namespaces;
import io.rdio.core.fence.Reservations;
import io.rdio.core.fence.TestNamespace;
import io.rdio.datanode.volume.FenceRecordedVolumes;
import io.rdio.datanode.volume.VolumeIdentifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rdio fence} on namespaces in memory, run on the host "here". */
final class FenceWorkTest {
  private static final List<Path> ALL = List.of();

  @TempDir Path folder;
  private final Host here = new Host();
  private final TestNamespace first = new TestNamespace();
  private final TestNamespace second = new TestNamespace();
  private final TestNamespace others = new TestNamespace();
  private final StringWriter out = new StringWriter();
  private Runnable passing = () -> {};

  /** What the host sees; targets know it as "machine of here". */
  static final class Host implements Namespaces {
    private final Map<Namespace, TestNamespace> connected = new LinkedHashMap<>();
    boolean mounted;

    void connect(String name, TestNamespace namespace) {
      connected.put(new Namespace("uuid." + name, Path.of("/dev", name)), namespace);
    }

    @Override
    public List<Namespace> all() {
      return List.copyOf(connected.keySet());
    }

    @Override
    public Namespace of(Path node) throws IOException {
      return connected.keySet().stream()
          .filter(namespace -> namespace.node().equals(node))
          .findFirst()
          .orElseThrow(() -> new IOException(node + " is not there"));
    }

    @Override
    public List<Path> nodes(Namespace namespace) {
      return List.of(namespace.node());
    }

    @Override
    public String written(Namespace namespace) {
      return "";
    }

    @Override
    public boolean isMounted(Namespace namespace) {
      return mounted;
    }

    @Override
    public List<String> holders(Namespace namespace) {
      return List.of();
    }

    @Override
    public Reservations open(Namespace namespace) {
      TestNamespace there = connected.get(namespace);
      assertThat(there).isNotNull();
      return there.of("machine of here");
    }
  }

  @BeforeEach
  void reserve() throws IOException {
    here.connect("nvme0n1", first);
    here.connect("nvme1n1", others);
    here.connect("nvme2n1", second);
    here.connect("nvme3n1", new TestNamespace().unsupported());
    hold(first, "dead");
    hold(second, "dead");
    hold(others, "alive");
  }

  private static void hold(TestNamespace namespace, String host) throws IOException {
    namespace.take(host, HostKey.of(host));
  }

  private FenceRecords records() {
    return new FenceRecords(folder);
  }

  private FenceWork work() {
    return work("here");
  }

  private FenceWork work(String name) {
    FenceWork.Here host = new FenceWork.Here(name, Clock.systemUTC(), time -> passing.run());
    return new FenceWork(here, records(), host, new PrintWriter(out, true));
  }

  private FenceView view() {
    return new FenceView(here, records(), new PrintWriter(out, true));
  }

  @Test
  void hostIsShutOutOfAllThatItHasReservedAndOfNothingElse() throws IOException {
    assertThat(work().fence("dead", ALL)).isTrue();

    assertThat(first.takesWritesOf("dead")).isFalse();
    assertThat(second.takesWritesOf("dead")).isFalse();
    assertThat(others.takesWritesOf("alive")).isTrue();
    assertThat(first.takesWritesOf("machine of here")).isTrue();
    assertThat(out.toString())
        .contains("/dev/nvme0n1 (uuid.nvme0n1): dead is shut out", "/dev/nvme2n1")
        .contains("/dev/nvme3n1 (uuid.nvme3n1) is left out: namespace: takes no reservations")
        .doesNotContain("/dev/nvme1n1");
    assertThat(records().all())
        .extracting(FenceRecord::state)
        .containsExactly(FenceState.FENCED, FenceState.FENCED);
  }

  @Test
  void doneAgainItSaysSo() throws IOException {
    work().fence("dead", ALL);

    assertThat(work().fence("dead", ALL)).isTrue();

    assertThat(out.toString()).contains("dead was shut out before, and still is");
  }

  @Test
  void oneThatFailsKeepsItFromNoOther() throws IOException {
    work().fence("dead", List.of(Path.of("/dev/nvme0n1")));
    first.reachable(false);

    assertThat(work().fence("dead", List.of(Path.of("/dev/nvme0n1"), Path.of("/dev/nvme2n1"))))
        .isFalse();

    assertThat(second.takesWritesOf("dead")).isFalse();
    assertThat(out.toString()).contains("/dev/nvme0n1 (uuid.nvme0n1): FAILED: namespace: no path");
  }

  @Test
  void hostThatReservedNothingIsNotSaidToBeShutOut() {
    assertThatThrownBy(() -> work().fence("unknown", ALL))
        .hasMessageContaining("no NVMe namespace of this host is reserved by unknown")
        .hasMessageContaining("the fence is missing")
        .hasMessageContaining("fix:");
  }

  @Test
  void undoneTheHostMayComeBack() throws IOException {
    work().fence("dead", ALL);

    assertThat(work().undo("dead", ALL)).isTrue();

    hold(first, "dead");
    assertThat(first.takesWritesOf("dead")).isTrue();
    assertThat(records().all()).isEmpty();
    assertThatThrownBy(() -> work().undo("dead", ALL)).hasMessageContaining("nothing of dead");
  }

  @Test
  void undoOfATryThatTouchedNothingTakesNothingFromThisHostEither() throws IOException {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    first.forget();
    assertThat(work().hold("here", device)).isTrue();
    first.reachable(false);
    assertThat(work().fence("dead", device)).isFalse();
    first.reachable(true);
    here.mounted = true;

    assertThat(work().undo("dead", device)).isTrue();

    assertThat(out.toString()).contains("forgotten, nothing was taken");
    assertThat(first.takesWritesOf("machine of here")).isTrue();
    assertThat(first.takesWritesOf("dead")).isFalse();
    assertThat(records().all()).isEmpty();
  }

  /** Else this host's own DataNode would not open its volume any more. */
  @Test
  void ownDeviceThatWasNamedByMistakeIsLeftAsItWas() throws Exception {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    first.forget();
    assertThat(work().hold("here", device)).isTrue();

    assertThat(work().fence("dead", device)).isFalse();

    assertThat(out.toString()).contains("no host is registered by");
    requireFenced("uuid.nvme0n1");
    assertThat(first.takesWritesOf("machine of here")).isTrue();
  }

  /** Its target forgot, the host does not come back, and this host has it mounted since. */
  @Test
  void fenceThatCannotBeDoneAnewIsNotUndoneUnderAMount() throws IOException {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    work().fence("dead", device);
    here.mounted = true;
    first.forget();
    assertThat(work().fence("dead", device)).isFalse();
    assertThat(out.toString()).contains("no host is registered by");

    assertThat(work().undo("dead", device)).isFalse();

    assertThat(out.toString()).contains("FAILED: a file system of it is mounted here");
    assertThat(records().all()).hasSize(1);
    here.mounted = false;
    assertThat(work().undo("dead", device)).isTrue();
    assertThat(records().all()).isEmpty();
  }

  /** The device is held by the key of the name before. */
  @Test
  void hostThatGotAnotherNameEndsItsFenceByTheOneBefore() throws IOException {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    work().fence("dead", device);
    here.mounted = true;

    assertThat(work("renamed").fence("dead", device)).isFalse();

    assertThat(out.toString()).contains("by here, and this host is renamed", "--as here");
    assertThat(work("renamed").undo("dead", device)).isFalse();
    assertThat(first.takesWritesOf("dead")).isFalse();
    here.mounted = false;
    assertThat(work("renamed").undo("dead", device)).isTrue();
    assertThat(first.takesWritesOf("dead")).isTrue();
    assertThat(records().all()).isEmpty();
  }

  @Test
  void whatIsMountedHereIsNotGivenBack() throws IOException {
    work().fence("dead", ALL);
    here.mounted = true;

    assertThat(work().undo("dead", ALL)).isFalse();

    assertThat(out.toString()).contains("FAILED: a file system of it is mounted here");
    assertThat(first.takesWritesOf("machine of here")).isTrue();
    assertThat(records().all()).hasSize(2);
  }

  @Test
  void nothingIsUnpinnedWhereItIsNotKnownWhetherTheHostIsShutOut() throws Exception {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    first.reachable(false);
    assertThat(work().fence("dead", device)).isFalse();

    assertThatThrownBy(() -> requireFenced("uuid.nvme0n1"))
        .hasMessageContaining("dead is not shut out of its device (RECALLED since")
        .hasMessageContaining("rdio fence dead");
    requireFenced("uuid.nvme2n1");

    first.reachable(true);
    work().fence("dead", device);
    requireFenced("uuid.nvme0n1");
  }

  private void requireFenced(String wwid) throws FallbackException {
    VolumeIdentifier devices =
        root -> new DeviceIdentity("ext4", new UUID(1, 2), 4096, wwid, 0, "/dev/nvme0n1");
    new FenceRecordedVolumes(devices, devices, records()).requireFenced(Path.of("/data/1"));
  }

  /** It may be the one that is fenced. */
  @Test
  void nothingIsUnpinnedWhereItsDeviceCannotBeTold() throws Exception {
    VolumeIdentifier unknown =
        root -> {
          throw new FallbackException(FallbackReason.DEVICE_UNSUPPORTED, "no node");
        };
    FenceRecordedVolumes volumes = new FenceRecordedVolumes(unknown, unknown, records());
    volumes.requireFenced(Path.of("/data/1"));
    first.reachable(false);
    work().fence("dead", List.of(Path.of("/dev/nvme0n1")));

    assertThatThrownBy(() -> volumes.requireFenced(Path.of("/data/1")))
        .hasMessageContaining("no node");
  }

  @Test
  void hostThatCameBackWhileTimePassedIsNotSaidToBeShutOut() throws IOException {
    passing =
        () -> {
          first.forget();
          try {
            hold(first, "dead");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };

    assertThat(work().fence("dead", ALL)).isFalse();

    assertThat(out.toString())
        .contains("Waiting 15 s")
        .contains("/dev/nvme0n1 (uuid.nvme0n1): FAILED: uuid.nvme0n1: dead was shut out, and 15 s")
        .contains("/dev/nvme2n1 (uuid.nvme2n1): dead is shut out");
  }

  @Test
  void statusTellsWhatIsFencedAndWhatHasNoFence() throws IOException {
    work().fence("dead", ALL);

    assertThat(view().print("dead")).isTrue();

    assertThat(out.toString())
        .contains("Key of dead: " + HostKey.text(HostKey.of("dead")))
        .contains("/dev/nvme0n1 (uuid.nvme0n1): reserved, Write Exclusive")
        .contains("its target forgets that when it is started again")
        .contains("/dev/nvme3n1 (uuid.nvme3n1): the fence is missing: namespace")
        .contains("dead out of uuid.nvme0n1: fenced since");
  }

  @Test
  void statusTellsWhatIsFencedNoMore() throws IOException {
    work().fence("dead", ALL);
    first.forget();

    assertThat(view().print(null)).isFalse();

    assertThat(out.toString())
        .contains("dead out of uuid.nvme0n1: NO MORE")
        .contains("turn that host off, and then 'rdio fence --undo dead'")
        .contains("dead out of uuid.nvme2n1: fenced since");
  }

  @Test
  void statusTellsWhatIsNotDone() throws IOException {
    first.reachable(false);
    work().fence("dead", List.of(Path.of("/dev/nvme0n1")));
    first.reachable(true);

    assertThat(view().print(null)).isFalse();

    assertThat(out.toString())
        .contains("dead out of uuid.nvme0n1: NOT DONE (RECALLED since")
        .contains("fix: repeat it; if the target cannot shut it out, turn that host off, and then")
        .contains("'rdio fence --undo dead'");
  }

  @Test
  void devicesAreHeldAndReleasedByTheirOwnHost() throws IOException {
    List<Path> device = List.of(Path.of("/dev/nvme0n1"));
    assertThat(work().hold("here", device)).as("another host's").isFalse();
    first.forget();

    assertThat(work().hold("here", device)).isTrue();
    assertThat(first.takesWritesOf("dead")).isFalse();
    assertThat(work().release("here", device)).isTrue();
    assertThat(first.takesWritesOf("dead")).isTrue();
  }
}
