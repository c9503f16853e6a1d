// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.PlaneGreeting;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the doctor says of whether this host's agent writes to a DataNode's devices. */
final class WriteCheckTest {
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, "nvme0n1");

  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));

  private static PlaneGreeting greeting(
      long writeIoMillis, @Nullable FallbackException writeRefusal) {
    return greeting(writeIoMillis, writeRefusal, null);
  }

  private static PlaneGreeting greeting(
      long writeIoMillis,
      @Nullable FallbackException writeRefusal,
      PlaneGreeting.@Nullable Fence fence) {
    PlaneGreeting.Volume volume =
        new PlaneGreeting.Volume("/data/1", DEVICE, null, 5, writeRefusal, fence);
    return new PlaneGreeting(3, 1, 60_000, writeIoMillis, List.of(volume), 0, "");
  }

  /** As a kernel that gives a lost connection up after ten minutes. */
  private static OptionalLong late(DeviceIdentity device, long mostMillis)
      throws FallbackException {
    throw new FallbackException(
        FallbackReason.WRITE_UNBOUNDED, device.name() + " 640 s, not " + mostMillis + " ms");
  }

  private static OptionalLong inTime(DeviceIdentity device, long mostMillis) {
    return OptionalLong.of(35_000);
  }

  /** On a host that may register nowhere. */
  private WriteCheck check(boolean agentWrites, WriteCheck.Delays delays) {
    RegistrationCheck.Host host =
        new RegistrationCheck.Host(
            wwid -> {
              throw new IOException("asked for " + wwid);
            },
            "rdio",
            true,
            node -> true);
    return new WriteCheck(agentWrites, delays, new RegistrationCheck(host, findings), findings);
  }

  @Test
  void kernelThatMayBeLateIsNotedWithCauseAndFix() {
    check(true, WriteCheckTest::late).run(greeting(60_000, null));

    assertThat(out.toString())
        .contains("note   writes", "/data/1", "WRITE_UNBOUNDED", "nvme0n1 640 s, not 60000 ms")
        .contains("fix: ", "--fast_io_fail_tmo", RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name());
    assertThat(findings.wrongs()).as("reads go on").isZero();
  }

  @Test
  void kernelThatIsInTimeIsInOrder() {
    check(true, WriteCheckTest::inTime).run(greeting(60_000, null));

    assertThat(out.toString()).contains("ok     writes", "/data/1", "35000 ms", "60000 ms");
  }

  /** W8: both are said, for mending the one alone does not help. */
  @Test
  void whereOnlyRegisteredHostsWriteItIsSaidWhetherThisOneMayRegister() {
    PlaneGreeting.Fence held = new PlaneGreeting.Fence(true, "reserved");
    check(true, WriteCheckTest::inTime).run(greeting(60_000, null, held));
    check(true, WriteCheckTest::late).run(greeting(60_000, null, held));

    assertThat(out.toString())
        .contains("ok     writes", "35000 ms", "WRITE_UNBOUNDED")
        .containsPattern("(?s)register: asked for uuid.1.*register: asked for uuid.1");
    assertThat(findings.wrongs()).as("reads go on").isZero();
  }

  /** Of a DataNode that demands a fence, and has none. */
  @Test
  void volumeThatIsLentToNobodyIsNoted() {
    FallbackException unfenced =
        new FallbackException(FallbackReason.WRITE_UNFENCED, "/data/1: takes no reservations");
    check(true, WriteCheckTest::inTime).run(greeting(60_000, unfenced));

    assertThat(out.toString())
        .contains("note   writes", "/data/1 is written to by no agent", "takes no reservations")
        .contains("fix: ");
    assertThat(findings.wrongs()).isZero();
  }

  @Test
  void nothingIsSaidWhereNobodyWrites() {
    PlaneGreeting.Fence held = new PlaneGreeting.Fence(true, "reserved");
    check(false, WriteCheckTest::late).run(greeting(60_000, null, held));
    WriteCheck writes = check(true, WriteCheckTest::late);
    writes.run(greeting(0, null, held));
    FallbackException off = new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "off");
    writes.run(greeting(60_000, off, held));
    check(true, (device, most) -> OptionalLong.empty()).run(greeting(60_000, null, held));

    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wordThatIsNoneIsFoundWrong() {
    Configuration conf = new Configuration(false);
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "perhaps");

    WriteCheck.of(conf, findings).run(greeting(60_000, null));

    assertThat(out.toString()).contains("WRONG  writes", "CONFIGURATION_INVALID", "perhaps");
    assertThat(findings.wrongs()).isEqualTo(1);
  }
}
