// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.PlaneGreeting.Volume;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.WriteDelay;
import io.rdio.hdfs.RdioConfigKeys;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether the agent of this host writes to the devices of DataNodes: a kernel that may send a write
 * too late keeps it from that, and so does what keeps it from registering. Nothing is wrong with
 * reads then.
 */
final class WriteCheck {
  private static final String WHAT = "writes";

  private final boolean agentWrites;
  private final Delays delays;
  private final RegistrationCheck registrations;
  private final Findings findings;

  /** {@link WriteDelay#require(DeviceIdentity, long)} of some kernel. */
  @FunctionalInterface
  interface Delays {
    OptionalLong require(DeviceIdentity device, long mostMillis) throws FallbackException;
  }

  /**
   * @param agentWrites whether the agent of this host is to write at all
   */
  WriteCheck(
      boolean agentWrites, Delays delays, RegistrationCheck registrations, Findings findings) {
    this.agentWrites = agentWrites;
    this.delays = delays;
    this.registrations = registrations;
    this.findings = findings;
  }

  /** Of this host and a configuration of its agent. */
  static WriteCheck of(Configuration conf, Findings findings) {
    return new WriteCheck(
        isOn(conf, findings), new WriteDelay()::require, RegistrationCheck.of(findings), findings);
  }

  private static boolean isOn(Configuration conf, Findings findings) {
    try {
      return RdioConfigKeys.CLIENT_AGENT_WRITE.get(conf).equals("on");
    } catch (IllegalArgumentException e) { // which no process but an agent looks at
      findings.wrong(WHAT, FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Looks at the volumes that a DataNode lends slots of, as far as this host has their devices. */
  void run(PlaneGreeting said) {
    if (!agentWrites || said.writeIoMillis() == 0) {
      return;
    }
    for (Volume volume : said.volumes()) {
      DeviceIdentity device = volume.device();
      FallbackException refusal = volume.writeRefusal();
      if (refusal != null && refusal.reason() == FallbackReason.WRITE_UNFENCED) {
        findings.note(WHAT, volume.path() + " is written to by no agent", refusal);
      } else if (refusal == null && device != null) {
        check(volume, device, said.writeIoMillis());
      }
    }
  }

  private void check(Volume volume, DeviceIdentity device, long mostMillis) {
    boolean isHere = true;
    try {
      OptionalLong longest = delays.require(device, mostMillis);
      isHere = longest.isPresent();
      if (isHere) {
        findings.ok(
            WHAT,
            volume.path()
                + ": one reaches its device within "
                + longest.orElseThrow()
                + " ms, and has "
                + mostMillis
                + " ms");
      }
    } catch (FallbackException e) {
      findings.note(WHAT, volume.path() + " is not written to by the agent", e);
    }
    if (isHere) {
      registrations.run(volume, device);
    }
  }
}
