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
 * Whether the kernel of this host lets its agent write to the devices of DataNodes: one that may
 * send a write too late does not. Nothing is wrong with reads then.
 */
final class WriteCheck {
  private static final String WHAT = "writes";

  private final boolean agentWrites;
  private final Delays delays;
  private final Findings findings;

  /** {@link WriteDelay#require(DeviceIdentity, long)} of some kernel. */
  @FunctionalInterface
  interface Delays {
    OptionalLong require(DeviceIdentity device, long mostMillis) throws FallbackException;
  }

  /**
   * @param agentWrites whether the agent of this host is to write at all
   */
  WriteCheck(boolean agentWrites, Delays delays, Findings findings) {
    this.agentWrites = agentWrites;
    this.delays = delays;
    this.findings = findings;
  }

  /** Of this host and a configuration of its agent. */
  static WriteCheck of(Configuration conf, Findings findings) {
    return new WriteCheck(isOn(conf, findings), new WriteDelay()::require, findings);
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
    for (Volume volume : said.volumes()) {
      DeviceIdentity device = volume.device();
      boolean isLent = volume.writeRefusal() == null && said.writeIoMillis() > 0;
      if (agentWrites && isLent && device != null) {
        check(volume, device, said.writeIoMillis());
      }
    }
  }

  private void check(Volume volume, DeviceIdentity device, long mostMillis) {
    try {
      OptionalLong longest = delays.require(device, mostMillis);
      if (longest.isPresent()) {
        findings.ok(
            WHAT,
            volume.path()
                + ": one reaches its device within "
                + longest.getAsLong()
                + " ms, and has "
                + mostMillis
                + " ms");
      }
    } catch (FallbackException e) {
      findings.note(WHAT, volume.path() + " is not written to by the agent", e);
    }
  }
}
