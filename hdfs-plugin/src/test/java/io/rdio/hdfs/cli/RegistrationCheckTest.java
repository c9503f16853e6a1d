// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.PlaneGreeting.Fence;
import io.rdio.client.plane.PlaneGreeting.Volume;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.HostRegistration.Outlook;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the doctor says of whether this host's agent may register (W8). */
final class RegistrationCheckTest {
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, "nvme0n1");
  private static final Path NODE = Path.of("/dev/nvme7n1");
  private static final Fence HELD = new Fence(true, "reserved, Write Exclusive - All Registrants");
  private static final long KEY = AgentKey.next(AgentKey.name(1L << 20));

  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));
  private OptionalLong key = OptionalLong.empty();
  private boolean mayReserve = true;
  private boolean mayWrite = true;

  private String run(@Nullable Fence fence, RegistrationCheck.Outlooks outlooks) {
    RegistrationCheck.Host host =
        new RegistrationCheck.Host(
            outlooks, "rdio", mayReserve, node -> node.equals(NODE) && mayWrite);
    new RegistrationCheck(host, findings)
        .run(new Volume("/data/1", DEVICE, null, 5, null, fence), DEVICE);
    assertThat(findings.wrongs()).as("reads go on").isZero();
    return out.toString();
  }

  private Outlook outlook(String wwid) {
    assertThat(wwid).isEqualTo("uuid.1");
    return new Outlook(NODE, key);
  }

  @Test
  void hostThatMayBeRegisteredIsInOrder() {
    assertThat(run(HELD, this::outlook))
        .contains("ok     writes", "/data/1: rdio may register this host; no agent has yet");
    key = OptionalLong.of(KEY);
    assertThat(run(HELD, this::outlook)).contains("its agent has, by 0x" + Long.toHexString(KEY));
  }

  /** Nobody need register there. */
  @Test
  void nothingIsSaidWhereTheDataNodeHasNoFence() {
    RegistrationCheck.Outlooks none =
        wwid -> {
          throw new AssertionError("nobody is asked");
        };
    assertThat(run(null, none)).isEmpty();
    assertThat(run(new Fence(false, "takes no reservations"), none)).isEmpty();
  }

  @Test
  void whatStandsInTheWayIsNotedWithItsFix() {
    assertThat(
            run(
                HELD,
                wwid -> {
                  throw new ReservationException(
                      Obstacle.DENIED, "Reservation Report: not permitted; fix: run it as root");
                }))
        .contains("note   writes", "/data/1 is not written to by the agent")
        .contains("cannot register: Reservation Report: not permitted; fix: run it as root");
  }

  @Test
  void userWhoMayNotWriteToTheNodeMayNotRegister() {
    mayWrite = false;
    assertThat(run(HELD, this::outlook))
        .contains("note   writes", "rdio may not write to " + NODE, "fix: ");
  }

  @Test
  void withoutTheCapabilityItIsTheKernelsAffair() {
    mayReserve = false;
    key = OptionalLong.of(KEY);
    assertThat(run(HELD, this::outlook))
        .contains("note   writes", "older ones want CAP_SYS_ADMIN; its agent has, by 0x5244")
        .doesNotContain("ok ");
  }
}
