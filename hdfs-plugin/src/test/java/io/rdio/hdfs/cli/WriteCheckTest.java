// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.PlaneGreeting;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the doctor says of a kernel that may send writes late. */
final class WriteCheckTest {
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, "nvme0n1");

  private final StringWriter out = new StringWriter();
  private final Findings findings = new Findings(new PrintWriter(out, true));

  private static PlaneGreeting greeting(
      long writeIoMillis, @Nullable FallbackException writeRefusal) {
    PlaneGreeting.Volume volume =
        new PlaneGreeting.Volume("/data/1", DEVICE, null, 5, writeRefusal, null);
    return new PlaneGreeting(3, 1, 60_000, writeIoMillis, List.of(volume), 0, "");
  }

  /** As a kernel that gives a lost connection up after ten minutes. */
  private static OptionalLong late(DeviceIdentity device, long mostMillis)
      throws FallbackException {
    throw new FallbackException(
        FallbackReason.WRITE_UNBOUNDED, device.name() + " 640 s, not " + mostMillis + " ms");
  }

  @Test
  void kernelThatMayBeLateIsNotedWithCauseAndFix() {
    new WriteCheck(true, WriteCheckTest::late, findings).run(greeting(60_000, null));

    assertThat(out.toString())
        .contains("note   writes", "/data/1", "WRITE_UNBOUNDED", "nvme0n1 640 s, not 60000 ms")
        .contains("fix: ", "--fast_io_fail_tmo", RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name());
    assertThat(findings.wrongs()).as("reads go on").isZero();
  }

  @Test
  void kernelThatIsInTimeIsInOrder() {
    new WriteCheck(true, (device, most) -> OptionalLong.of(35_000), findings)
        .run(greeting(60_000, null));

    assertThat(out.toString()).contains("ok     writes", "/data/1", "35000 ms", "60000 ms");
  }

  @Test
  void nothingIsSaidWhereNobodyWrites() {
    new WriteCheck(false, WriteCheckTest::late, findings).run(greeting(60_000, null));
    WriteCheck writes = new WriteCheck(true, WriteCheckTest::late, findings);
    writes.run(greeting(0, null));
    FallbackException off = new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "off");
    writes.run(greeting(60_000, off));
    new WriteCheck(true, (device, most) -> OptionalLong.empty(), findings)
        .run(greeting(60_000, null));

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
