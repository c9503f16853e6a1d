// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.Volume;
import io.rdio.hdfs.cli.PerDataNode.Answer;
import io.rdio.hdfs.client.DataNodePlugins;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** What DataNodes say of themselves, and whether this host has the devices of their volumes. */
final class DataNodeCheck {
  private static final int UUID_BYTES = 16;

  private final DataNodePlugins plugins;
  private final Findings findings;

  DataNodeCheck(DataNodePlugins plugins, Findings findings) {
    this.plugins = plugins;
    this.findings = findings;
  }

  /** A plugin and where it answered. */
  private record Greeting(String endpoint, HelloReply reply) {}

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

  private void greeted(Greeting greeting) {
    HelloReply reply = greeting.reply();
    findings.ok(
        "plugin",
        greeting.endpoint()
            + ", protocol version "
            + reply.getProtocolVersion()
            + ", incarnation "
            + Long.toHexString(reply.getIncarnation())
            + ", leases of "
            + reply.getLeaseMillis() / 1000
            + " s");
    failures(reply, findings);
    if (reply.getVolumesCount() == 0) {
      findings.wrong("volumes", FallbackReason.DATANODE_NOT_READY, "it names no volume");
    }
    reply.getVolumesList().forEach(this::volume);
  }

  static void failures(HelloReply reply, Findings findings) {
    if (reply.getFailures() > 0) {
      findings.wrong(
          "plugin",
          reply.getFailures()
              + " failures inside it since its start that should not be, the last: "
              + reply.getLastFailure(),
          "see the traces in the DataNode's log, and report them");
    }
  }

  private void volume(Volume volume) {
    if (!volume.getRefusal().isEmpty()) {
      findings.wrong(
          "volume",
          FallbackReason.ofWire(volume.getRefusal()),
          volume.getPath() + ": " + volume.getRefusalDetail());
      return;
    }
    try {
      volume(volume, identity(volume));
    } catch (FallbackException e) {
      refused(volume, e);
    }
  }

  private void volume(Volume volume, DeviceIdentity identity) {
    try {
      if (NativeLibrary.availability().isAvailable()) {
        String here = plugins.devices().resolve(identity).name();
        findings.ok("volume", volume.getPath() + " is " + here + " here: " + identity);
      } else {
        findings.note(
            "volume", volume.getPath() + " is not looked for without librdio: " + identity);
      }
    } catch (FallbackException e) {
      refused(volume, e);
      if (e.reason() == FallbackReason.DEVICE_NOT_FOUND) {
        plugins
            .devices()
            .lookAlikes(identity)
            .forEach(device -> findings.note("near miss", device));
      }
    }
  }

  private void refused(Volume volume, FallbackException refusal) {
    findings.wrong(
        "volume",
        Failures.text(refusal.reason(), volume.getPath() + ": " + refusal.detail()),
        refusal.reason().fix());
  }

  private static DeviceIdentity identity(Volume volume) throws FallbackException {
    io.rdio.core.wire.proto.DeviceIdentity device = volume.getDevice();
    if (device.getFsUuid().size() != UUID_BYTES) {
      throw new FallbackException(
          FallbackReason.METADATA_PLANE_ERROR,
          "a file system's UUID has " + device.getFsUuid().size() + " bytes");
    }
    ByteBuffer uuid = device.getFsUuid().asReadOnlyByteBuffer();
    return new DeviceIdentity(
        device.getFsType(),
        new UUID(uuid.getLong(), uuid.getLong()),
        device.getSizeBytes(),
        device.getWwid(),
        device.getPartitionStartBytes(),
        device.getName());
  }
}
