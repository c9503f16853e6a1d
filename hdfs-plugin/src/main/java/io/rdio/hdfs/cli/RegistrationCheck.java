// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.PlaneGreeting.Fence;
import io.rdio.client.plane.PlaneGreeting.Volume;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.HostRegistration;
import io.rdio.core.fence.HostRegistration.Outlook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Whether the agent of this host may register it with devices whose DataNodes lend slots to
 * registered hosts alone (W8): what the target takes, whether the device is in use here otherwise,
 * and the rights of the user who asks. Changes nothing, and nothing is wrong with reads where it
 * may not.
 */
final class RegistrationCheck {
  private static final String WHAT = "writes";

  private final Host host;
  private final Findings findings;

  /** {@link HostRegistration#outlook} of some host. */
  @FunctionalInterface
  interface Outlooks {
    Outlook of(String wwid) throws IOException;
  }

  /**
   * This host, and what the user who asks may do on it.
   *
   * @param user who asks
   * @param mayReserve whether by CAP_SYS_ADMIN, which does on each kernel
   * @param mayWrite whether to a node
   */
  record Host(Outlooks outlooks, String user, boolean mayReserve, Predicate<Path> mayWrite) {}

  RegistrationCheck(Host host, Findings findings) {
    this.host = host;
    this.findings = findings;
  }

  /** Of this host. */
  static RegistrationCheck of(Findings findings) {
    return new RegistrationCheck(
        new Host(
            new HostRegistration()::outlook,
            System.getProperty("user.name", "this user"),
            mayReserve(),
            Files::isWritable),
        findings);
  }

  private static boolean mayReserve() {
    try {
      return RootRights.mayReserve();
    } catch (IOException e) { // no /proc: whoever writes to the node may do on some kernels
      return false;
    }
  }

  /** Of a volume that a DataNode lends slots of, and whose device is of this host. */
  void run(Volume volume, DeviceIdentity device) {
    Fence fence = volume.fence();
    if (fence == null || !fence.held()) {
      return; // it lends to all hosts, and nobody need register
    }
    try {
      found(volume, host.outlooks().of(device.wwid()));
    } catch (IOException e) {
      no(volume, Failures.message(e));
    }
  }

  private void found(Volume volume, Outlook outlook) {
    if (!host.mayWrite().test(outlook.node())) {
      no(
          volume,
          host.user()
              + " may not write to "
              + outlook.node()
              + ", and so not register either; fix: run the doctor as the agent's user, and see"
              + " docs/agent.md, Writes");
    } else if (host.mayReserve()) {
      findings.ok(
          WHAT, volume.path() + ": " + host.user() + " may register this host" + isNow(outlook));
    } else {
      findings.note(
          WHAT,
          volume.path()
              + ": "
              + host.user()
              + " may register this host if its kernel lets all do so who may write to the node:"
              + " older ones want CAP_SYS_ADMIN"
              + isNow(outlook));
    }
  }

  private static String isNow(Outlook outlook) {
    return outlook.key().isPresent()
        ? "; its agent has, by " + HostKey.text(outlook.key().getAsLong())
        : "; no agent has yet";
  }

  private void no(Volume volume, String why) {
    findings.note(
        WHAT, volume.path() + " is not written to by the agent, which cannot register: " + why);
  }
}
