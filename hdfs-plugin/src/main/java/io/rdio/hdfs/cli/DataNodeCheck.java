// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.client.plane.PlaneGreeting;
import io.rdio.client.plane.PlaneGreeting.Fence;
import io.rdio.client.plane.PlaneGreeting.Volume;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cli.PerDataNode.Answer;
import io.rdio.hdfs.client.direct.DataNodePlugins;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** What DataNodes say of themselves, and whether this host has the devices of their volumes. */
final class DataNodeCheck {
  private final DataNodePlugins plugins;
  private final DeviceDirectory devices;
  private final boolean agentAnswers;
  private final WriteCheck writes;
  private final Findings findings;
  private final List<BlockDevice> opened = new ArrayList<>();

  /**
   * @param agentAnswers whether an agent reads for this process, which then needs no device
   */
  DataNodeCheck(
      DataNodePlugins plugins, boolean agentAnswers, WriteCheck writes, Findings findings) {
    this(plugins, plugins.devices(), agentAnswers, writes, findings);
  }

  /** The same with other devices than those of this host. */
  DataNodeCheck(
      DataNodePlugins plugins,
      DeviceDirectory devices,
      boolean agentAnswers,
      WriteCheck writes,
      Findings findings) {
    this.plugins = plugins;
    this.devices = devices;
    this.agentAnswers = agentAnswers;
    this.writes = writes;
    this.findings = findings;
  }

  /** A plugin and where it answered. */
  private record Greeting(String endpoint, PlaneGreeting said) {}

  void run(List<DatanodeInfo> dataNodes) throws IOException {
    List<Answer<Greeting>> answers =
        PerDataNode.ask(
            dataNodes,
            dataNode -> {
              String endpoint = plugins.endpoint(dataNode);
              return new Greeting(endpoint, plugins.hello(endpoint));
            });
    for (Answer<Greeting> answer : answers) {
      findings.part("DataNode " + answer.name() + " (" + answer.dataNode().getHostName() + ")");
      Greeting greeting = answer.value();
      if (greeting != null) {
        greeted(greeting);
      } else if (answer.failure() instanceof FallbackException refusal) {
        findings.wrong("plugin", refusal);
      } else {
        findings.wrong("plugin", String.valueOf(answer.failure()), "see the DataNode's log");
      }
    }
  }

  /** The devices of volumes that this process may read, each once, as they were found. */
  List<BlockDevice> opened() {
    return opened.stream().distinct().toList();
  }

  private void greeted(Greeting greeting) {
    PlaneGreeting said = greeting.said();
    findings.ok(
        "plugin",
        greeting.endpoint()
            + ", protocol version "
            + said.protocolVersion()
            + ", incarnation "
            + Long.toHexString(said.incarnation())
            + ", leases of "
            + said.leaseMillis() / 1000
            + " s");
    failures(said, findings);
    if (said.volumes().isEmpty()) {
      findings.wrong("volumes", FallbackReason.DATANODE_NOT_READY, "it names no volume");
    }
    said.volumes().forEach(this::volume);
    fences(said, findings);
    writes.run(said);
  }

  static void failures(PlaneGreeting said, Findings findings) {
    if (said.failures() > 0) {
      findings.wrong(
          "plugin",
          said.failures()
              + " failures inside it since its start that should not be, the last: "
              + said.lastFailure(),
          "see the traces in the DataNode's log, and report them");
    }
  }

  /** Whether anything but convention keeps other hosts from writing; reads go on without. */
  static void fences(PlaneGreeting said, Findings findings) {
    boolean any = false;
    for (Volume volume : said.volumes()) {
      Fence fence = volume.fence();
      if (fence != null) {
        any = true;
        String text = volume.path() + ": ";
        if (fence.held()) {
          findings.ok("fence", text + fence.detail());
        } else {
          findings.note("fence", text + "the fence is missing: " + fence.detail());
        }
      }
    }
    if (!any && !said.volumes().isEmpty()) {
      findings.note(
          "fence",
          "missing: only convention keeps other hosts from writing to its devices ("
              + RdioConfigKeys.DATANODE_FENCE
              + ")");
    }
  }

  private void volume(Volume volume) {
    DeviceIdentity device = volume.device();
    if (device != null) {
      volume(volume, device);
    } else {
      refused(volume, Objects.requireNonNull(volume.refusal()));
    }
  }

  void volume(Volume volume, DeviceIdentity identity) {
    try {
      if (NativeLibrary.availability().isAvailable()) {
        BlockDevice here = devices.resolve(identity);
        opened.add(here);
        findings.ok("volume", volume.path() + " is " + here.name() + " here: " + identity);
      } else {
        findings.note("volume", volume.path() + " is not looked for without librdio: " + identity);
      }
    } catch (FallbackException e) {
      unopened(volume, identity, e);
    }
  }

  private void unopened(Volume volume, DeviceIdentity identity, FallbackException refusal) {
    if (agentAnswers) {
      // What an agent answers to a probe has figures, and no devices.
      findings.note(
          "volume",
          volume.path()
              + " is not this process's to open; whether the agent has it, a test read of a file"
              + " there shows: "
              + Failures.text(refusal));
    } else {
      refused(volume, refusal);
    }
    if (refusal.reason() == FallbackReason.DEVICE_NOT_FOUND) {
      devices.lookAlikes(identity).forEach(device -> findings.note("near miss", device));
    }
  }

  private void refused(Volume volume, FallbackException refusal) {
    findings.wrong("volume", refusal.reason(), volume.path() + ": " + refusal.detail());
  }
}
