// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent's host, at a target like Linux's. */
final class HostRegistrationTest {
  private static final String WWID = "uuid.1";
  private static final Path NODE = Path.of("/dev/nvme1n1");
  private static final Namespaces.Namespace NAMESPACE = new Namespaces.Namespace(WWID, NODE);
  private static final Namespaces.Namespace OTHER_PATH =
      new Namespaces.Namespace(WWID, Path.of("/dev/nvme2n1"));
  private static final long OWNER = HostKey.of("dn1");
  private static final long FIRST = AgentKey.next(AgentKey.name(1));
  private static final long SECOND = AgentKey.next(AgentKey.name(1L << 20));

  @TempDir Path folder;

  private final TestNamespace target = new TestNamespace();
  private final Host here = new Host();
  private final List<HostClaims> claims = new ArrayList<>();
  private HostRegistration registration;

  /** What the agent's host sees. */
  private final class Host implements Namespaces {
    private final Set<Namespace> mounted = new HashSet<>();
    private final List<String> holders = new ArrayList<>();
    private String hostId = "machine2";

    @Override
    public List<Namespace> all() {
      return List.of(NAMESPACE, OTHER_PATH, new Namespace("uuid.2", Path.of("/dev/nvme3n1")));
    }

    @Override
    public Namespace of(Path node) {
      assertThat(node).isEqualTo(NODE);
      return NAMESPACE;
    }

    @Override
    public List<Path> nodes(Namespace namespace) {
      return List.of(namespace.node());
    }

    @Override
    public boolean isMounted(Namespace namespace) {
      return mounted.contains(namespace);
    }

    @Override
    public List<String> holders(Namespace namespace) {
      return holders;
    }

    @Override
    public String written(Namespace namespace) {
      return "";
    }

    @Override
    public Reservations open(Namespace namespace) {
      return target.of(hostId);
    }
  }

  @BeforeEach
  void reserve() throws ReservationException {
    registration = process();
    OwnReservation.take(
        target.of("machine1"), OWNER, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);
  }

  /** A process of this host. */
  private HostRegistration process() {
    HostClaims its = new HostClaims(folder.resolve("writers"));
    claims.add(its);
    return new HostRegistration(here, its);
  }

  @AfterEach
  void end() {
    claims.forEach(HostClaims::close);
  }

  private void isRefused(long key, String why) {
    assertThatThrownBy(() -> registration.register(NODE, WWID, key))
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining(why);
  }

  @Test
  void registeredHostWrites() throws Exception {
    assertThat(registration.isRegistered(NODE, WWID, FIRST)).isFalse();
    assertThat(target.takesWritesOf("machine2")).isFalse();

    registration.register(NODE, WWID, FIRST);

    assertThat(registration.isRegistered(NODE, WWID, FIRST)).isTrue();
    assertThat(registration.isRegistered(NODE, WWID, SECOND)).isFalse();
    assertThat(target.takesWritesOf("machine2")).isTrue();
    assertThat(target.takesWritesOf("machine1")).isTrue();
  }

  @Test
  void oneProcessRegistersTheHostUntilItEnds() throws Exception {
    HostRegistration other = process();
    assertThat(registration.claim(NODE, WWID)).isTrue();
    assertThat(registration.claim(NODE, WWID)).isFalse();

    assertThatThrownBy(() -> other.claim(NODE, WWID))
        .isInstanceOfSatisfying(
            ReservationException.class, e -> assertThat(e.obstacle()).isEqualTo(Obstacle.CONFLICT))
        .hasMessageContaining("process " + ProcessHandle.current().pid());
    here.hostId = "machine3";
    assertThat(other.claim(NODE, WWID)).as("of another host, for the target").isTrue();

    here.hostId = "machine2";
    claims.get(0).close();
    assertThat(other.claim(NODE, WWID)).isTrue();
  }

  @Test
  void outlookSaysWhetherAHostCouldBeRegisteredAndChangesNothing() throws Exception {
    HostRegistration.Outlook before = registration.outlook(WWID);
    assertThat(before.node()).isEqualTo(NODE);
    assertThat(before.key()).isEmpty();
    assertThat(target.of("machine1").report().registrants()).hasSize(1);
    assertThat(folder.resolve("writers")).doesNotExist();

    registration.register(NODE, WWID, FIRST);
    assertThat(registration.outlook(WWID).key()).hasValue(FIRST);

    here.mounted.add(OTHER_PATH);
    hasNoOutlook(WWID, Obstacle.CONFLICT, "is mounted on this host");
    here.mounted.clear();
    hasNoOutlook("uuid.9", Obstacle.UNSUPPORTED, "no NVMe namespace of this host is uuid.9");
    target.of("machine3").register(HostKey.of("dn3"));
    here.hostId = "machine3";
    hasNoOutlook(WWID, Obstacle.CONFLICT, "which is no agent's key");
    target.take("machine1", OWNER);
    hasNoOutlook(WWID, Obstacle.CONFLICT, "no DataNode has reserved it for all");
    target.unsupported();
    hasNoOutlook(WWID, Obstacle.UNSUPPORTED, "takes no reservations");
  }

  private void hasNoOutlook(String wwid, Obstacle obstacle, String why) {
    assertThatThrownBy(() -> registration.outlook(wwid))
        .isInstanceOfSatisfying(
            ReservationException.class, e -> assertThat(e.obstacle()).isEqualTo(obstacle))
        .hasMessageContaining(why);
  }

  @Test
  void anEarlierAgentsKeyIsReplaced() throws Exception {
    registration.register(NODE, WWID, FIRST);
    registration.register(NODE, WWID, SECOND);

    assertThat(registration.isRegistered(NODE, WWID, FIRST)).isFalse();
    assertThat(registration.isRegistered(NODE, WWID, SECOND)).isTrue();
    assertThat(target.of("machine1").report().registrants()).hasSize(2);
  }

  @Test
  void hostThatWasShutOutIsNotRegistered() throws Exception {
    registration.register(NODE, WWID, FIRST);
    target
        .of("machine1")
        .preemptAndAbort(OWNER, FIRST, ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS);

    assertThat(registration.isRegistered(NODE, WWID, FIRST)).isFalse();
    assertThat(target.takesWritesOf("machine2")).isFalse();
  }

  /** Its DataNode, of this very name or not, would lose what it holds the device by. */
  @Test
  void keyThatIsNoAgentsIsNotReplaced() throws Exception {
    target.of("machine2").register(HostKey.of("dn2"));
    isRefused(FIRST, "which is no agent's key");
    assertThat(target.of("machine2").report().hasKey(HostKey.of("dn2"))).isTrue();

    here.hostId = "machine1";
    isRefused(FIRST, "which is no agent's key");
    assertThat(target.of("machine1").report().isHeldBy(OWNER)).isTrue();
  }

  /** Its file system's writes would pass as an agent's, of whichever path. */
  @Test
  void hostThatHasItMountedIsNotRegistered() {
    here.mounted.add(OTHER_PATH);
    isRefused(FIRST, "is mounted on this host");
    here.mounted.clear();
    here.holders.add("dm-0 LVM-1");
    isRefused(FIRST, "dm-0 LVM-1 lies on it");
    assertThat(target.takesWritesOf("machine2")).isFalse();
  }

  @Test
  void nobodyRegistersWhereNobodyLetsAgentsIn() throws Exception {
    target.take("machine1", OWNER);
    isRefused(FIRST, "no DataNode has reserved it for all");
    OwnReservation.release(target.of("machine1"), OWNER);
    isRefused(FIRST, "no DataNode has reserved it for all");
    assertThat(target.of("machine1").report().registrants()).isEmpty();
  }

  @Test
  void targetWithoutReservationsSaysSo() {
    target.unsupported();
    assertThatThrownBy(() -> registration.register(NODE, WWID, FIRST))
        .isInstanceOfSatisfying(
            ReservationException.class,
            e -> assertThat(e.obstacle()).isEqualTo(Obstacle.UNSUPPORTED));
  }

  @Test
  void anotherDeviceIsNotMeant() {
    assertThatThrownBy(() -> registration.register(NODE, "uuid.9", FIRST))
        .hasMessageContaining("it is not uuid.9");
    assertThatThrownBy(() -> registration.isRegistered(NODE, "uuid.9", FIRST))
        .hasMessageContaining("it is not uuid.9");
    assertThatThrownBy(() -> registration.claim(NODE, "uuid.9"))
        .hasMessageContaining("it is not uuid.9");
  }

  @Test
  void hostThatCannotBeToldFromOthersIsNotRegistered() {
    here.hostId = "";
    isRefused(FIRST, "host identifier is not known");
    assertThatThrownBy(() -> registration.claim(NODE, WWID))
        .hasMessageContaining("host identifier is not known");
  }
}
