// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether a namespace is fenced by this host, by its records and by its target. */
final class HostFencedDevicesTest {
  private static final Path NODE = Path.of("/dev/nvme1n1");
  private static final Path PARTITION = Path.of("/dev/nvme1n1p1");
  private static final Namespaces.Namespace NAMESPACE = new Namespaces.Namespace("eui.1", NODE);
  private static final Namespaces.Namespace OTHER_PATH =
      new Namespaces.Namespace("eui.1", Path.of("/dev/nvme2n1"));
  private static final long DEAD = HostKey.of("dead");

  @TempDir Path folder;

  private final TestNamespace target = new TestNamespace();
  private final Host here = new Host();
  private FenceRecords records;
  private HostFencedDevices fenced;

  private final class Host implements Namespaces {
    private final Set<Namespace> mounted = new HashSet<>();
    private final Map<Namespace, List<String>> holders = new HashMap<>();
    private String hostId = "machine1";
    private final Map<Namespace, String> written = new HashMap<>();

    @Override
    public List<Namespace> all() {
      return List.of(NAMESPACE, OTHER_PATH, new Namespace("eui.2", Path.of("/dev/nvme3n1")));
    }

    @Override
    public Namespace of(Path node) {
      assertThat(node).isIn(NODE, PARTITION);
      return NAMESPACE;
    }

    @Override
    public List<Path> nodes(Namespace namespace) {
      return List.of(namespace.node(), Path.of(namespace.node() + "p1"));
    }

    @Override
    public boolean isMounted(Namespace namespace) {
      return mounted.contains(namespace);
    }

    @Override
    public List<String> holders(Namespace namespace) {
      return holders.getOrDefault(namespace, List.of());
    }

    @Override
    public String written(Namespace namespace) {
      return written.getOrDefault(namespace, "1");
    }

    @Override
    public Reservations open(Namespace namespace) {
      return target.of(hostId);
    }
  }

  @BeforeEach
  void reserve() throws IOException {
    records = new FenceRecords(folder);
    fenced = new HostFencedDevices(here, records);
    target.take("machine2", DEAD);
  }

  private RecordedFence fence() {
    DeviceFence device =
        new DeviceFence(target.of("machine1"), HostKey.of("here"), ReservationType.WRITE_EXCLUSIVE);
    return new RecordedFence(records, device, "dead", "eui.1", "here", Clock.systemUTC());
  }

  private void fenceIt() throws IOException {
    fence().shutOut();
    fence().confirm();
  }

  private void assertNot(String why) {
    assertThatThrownBy(() -> fenced.look(PARTITION))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  @Test
  void fencedUntilItIsUndone() throws Exception {
    assertThat(fenced.recorded()).isEmpty();
    assertNot("no host was shut out");

    fenceIt();

    assertThat(fenced.recorded()).as("by one path").containsExactly(NODE, PARTITION);
    StandingFence fence = fenced.look(PARTITION);
    assertThat(fenced.look(NODE)).isEqualTo(fence);
    assertThat(fence.records()).extracting(FenceRecord::host).containsExactly("dead");

    OwnReservation.release(target.of("machine1"), HostKey.of("here"));
    assertNot("shut out no more");
    records.remove("dead", "eui.1");
    assertNot("no host was shut out");
    assertThat(fenced.recorded()).isEmpty();
  }

  @Test
  void anotherFenceIsNotTheSame() throws Exception {
    fenceIt();
    StandingFence before = fenced.look(NODE);
    OwnReservation.release(target.of("machine1"), HostKey.of("here"));
    target.take("machine2", DEAD);
    fenceIt();
    assertThat(fenced.look(NODE)).isNotEqualTo(before);
  }

  /** Whatever the device says: this host may have taken it anew. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FENCED")
  void recordThatIsNotAtItsEnd(FenceState state) throws Exception {
    fenceIt();
    records.write(new FenceRecord("dead", "eui.1", "here", state, Clock.systemUTC().instant()));
    assertThat(fenced.recorded()).isEmpty();
    assertNot("may still write to it");
  }

  @Test
  void targetHasForgotten() throws Exception {
    fenceIt();
    target.forget();
    assertNot("shut out no more");
    assertNot("else turn it off, 'rdio fence --undo dead', and start the DataNode");
  }

  @Test
  void anotherHostOfThisNameHoldsIt() throws Exception {
    fenceIt();
    OwnReservation.release(target.of("machine1"), HostKey.of("here"));
    target.take("machine3", HostKey.of("here"));
    assertNot("shut out no more");
  }

  @Test
  void hostThatDoesNotKnowItsIdentifier() throws Exception {
    fenceIt();
    here.hostId = "";
    assertNot("identifier is not known");
  }

  @Test
  void thisHostMayWriteByWhateverPath() throws Exception {
    fenceIt();
    StandingFence before = fenced.look(NODE);
    for (Namespaces.Namespace path : List.of(NAMESPACE, OTHER_PATH)) {
      here.mounted.add(path);
      assertNot("mounted on this host");
      here.mounted.remove(path);
      here.holders.put(path, List.of("dm-3 LVM-1"));
      assertNot("dm-3 LVM-1 lies on it");
      here.holders.remove(path);
      assertThat(fenced.look(NODE)).isEqualTo(before);
      here.written.put(path, "2");
      assertThat(fenced.look(NODE)).isNotEqualTo(before);
      here.written.remove(path);
    }
  }

  @Test
  void targetDoesNotAnswer() throws Exception {
    fenceIt();
    target.reachable(false);
    assertNot("no path");
  }
}
