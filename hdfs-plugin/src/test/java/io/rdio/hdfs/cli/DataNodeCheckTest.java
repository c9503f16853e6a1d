// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.PlaneGreeting;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.device.WitnessedDevice;
import io.rdio.hdfs.client.direct.DataNodePlugins;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the doctor makes of a DataNode's own words. */
final class DataNodeCheckTest {
  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));

  @Test
  void failuresInsideThePluginAreFoundWrong() {
    DataNodeCheck.failures(
        new PlaneGreeting(2, 1, 60_000, 0, List.of(), 3, "ending leases: Error"), findings);

    assertThat(out.toString()).contains("WRONG  plugin", "3 failures", "ending leases: Error");
    assertThat(findings.wrongs()).isEqualTo(1);
  }

  @Test
  void pluginWithoutFailuresIsNotMentioned() {
    DataNodeCheck.failures(new PlaneGreeting(2, 1, 60_000, 0, List.of(), 0, ""), findings);

    assertThat(out.toString()).isEmpty();
  }

  @Test
  void fenceIsTheDataNodesWordForEachVolume() {
    fences(
        new PlaneGreeting.Fence(true, "reserved, Write Exclusive"),
        new PlaneGreeting.Fence(false, "takes no reservations"));

    assertThat(out.toString())
        .contains("ok     fence        /data/0: reserved, Write Exclusive")
        .contains("note   fence        /data/1: the fence is missing: takes no reservations");
    assertThat(findings.wrongs()).as("reads go on without").isZero();
  }

  @Test
  void fenceThatNobodyAskedForIsMissing() {
    fences((PlaneGreeting.Fence) null);

    assertThat(out.toString())
        .contains("note   fence", "missing", "dfs.datanode.rdio.fence")
        .doesNotContain("/data/0");
  }

  private void fences(PlaneGreeting.@Nullable Fence... fences) {
    List<PlaneGreeting.Volume> volumes = new ArrayList<>();
    for (PlaneGreeting.Fence fence : fences) {
      String path = "/data/" + volumes.size();
      volumes.add(new PlaneGreeting.Volume(path, null, null, 0, null, fence));
    }
    DataNodeCheck.fences(new PlaneGreeting(3, 1, 60_000, 0, volumes, 0, ""), findings);
  }

  /** Nor is it said that the agent has it, for an agent does not tell. */
  @Test
  void volumeThatOnlyAnAgentMayHaveIsNoFault() throws Exception {
    volume(FallbackReason.DEVICE_PERMISSION, true);
    assertThat(out.toString())
        .contains("note   volume", "/data/1", "whether the agent has it", "DEVICE_PERMISSION")
        .doesNotContain("WRONG", "near miss");
    assertThat(findings.wrongs()).isZero();
  }

  @Test
  void nearMissesAreSaidWithAnAgentToo() throws Exception {
    volume(FallbackReason.DEVICE_NOT_FOUND, true);
    assertThat(out.toString()).contains("note   volume", "near miss", "sdx is smaller");
    assertThat(findings.wrongs()).isZero();
  }

  @Test
  void volumeWithoutItsDeviceIsWrongWhereNoAgentReads() throws Exception {
    volume(FallbackReason.DEVICE_NOT_FOUND, false);
    assertThat(out.toString()).contains("WRONG  volume", "DEVICE_NOT_FOUND", "sdx is smaller");
    assertThat(findings.wrongs()).isEqualTo(1);
  }

  /** The check of a volume whose device cannot be had. */
  private void volume(FallbackReason why, boolean agentAnswers) throws FallbackException {
    DeviceIdentity identity = new DeviceIdentity("ext4", new UUID(1, 2), 4096, "", 0, "sdb");
    try (DataNodePlugins plugins = DataNodePlugins.of(new Configuration(false))) {
      WriteCheck writes = WriteCheck.of(new Configuration(false), findings);
      new DataNodeCheck(plugins, new NoDevice(why), agentAnswers, writes, findings)
          .volume(new PlaneGreeting.Volume("/data/1", identity, null), identity);
    }
  }

  /** A host with none of the devices that are wanted. */
  private record NoDevice(FallbackReason why) implements DeviceDirectory {
    @Override
    public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
      return resolve(wanted.device());
    }

    @Override
    public BlockDevice resolve(DeviceIdentity wanted) throws FallbackException {
      throw new FallbackException(why, wanted.toString());
    }

    @Override
    public DevicePlace place(DeviceIdentity wanted) throws FallbackException {
      throw new FallbackException(why, wanted.toString());
    }

    @Override
    public void forget(DeviceIdentity wanted) {}

    @Override
    public List<String> lookAlikes(DeviceIdentity wanted) {
      return List.of("sdx is smaller");
    }

    @Override
    public List<Candidate> candidates() {
      return List.of();
    }

    @Override
    public void close() {}
  }
}
