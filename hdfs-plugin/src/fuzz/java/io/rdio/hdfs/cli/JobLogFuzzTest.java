// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Allocation;
import io.rdio.hdfs.client.way.ExitLine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.SequenceInputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.assertj.core.data.Percentage;

/** Logs are text that anybody may have written to, of any length. */
final class JobLogFuzzTest {
  private static final long MOST = 1L << 55;

  /** What the product writes comes back: counts as they were, bytes to half a percent. */
  @Property(tries = 300)
  void whatAProcessWritesIsWhatIsRead(
      @ForAll @LongRange(max = MOST) long byAgent,
      @ForAll @LongRange(max = MOST) long byDevices,
      @ForAll @LongRange(max = MOST) long byStock,
      @ForAll FallbackReason reason) {
    ClientCounters counters = new ClientCounters();
    counters.rdioBytes.add(byAgent + byDevices);
    counters.agentBytes.add(byAgent);
    counters.stockBytes.add(byStock);
    counters.fallback(reason);
    ExitLine written = ExitLine.of(counters, 0);
    ExitLine read = Objects.requireNonNull(ExitLine.parse("INFO x: " + written), "not read");
    Percentage half = Percentage.withPercentage(0.5);
    assertThat(read.fromHdfs()).isCloseTo(byAgent + byDevices + byStock, half);
    assertThat(read.byRdio()).isCloseTo(byAgent + byDevices, half);
    assertThat(read.byAgent()).isCloseTo(byAgent, half);
    assertThat(read.reasons()).isEqualTo(written.reasons());
  }

  @Provide
  Arbitrary<String> text() {
    String exit = "RDIO: 9999 EB read from HDFS, 9999 EB of it by RDIO (100 %)";
    return Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(60),
            Arbitraries.of(
                exit,
                ": 9999 EB by the agent of this host, 0 B from devices opened by this process",
                ". Stock HDFS read for: ",
                "PIN_LIMIT (999999999999999999), ",
                "NO_SUCH_NAME (1)",
                "RDIO: stock HDFS reads ",
                "RDIO: not the agent but the next way reads /a: b [",
                "LEASE_LIMIT: ",
                "]. Fix: ",
                "Counters: 1",
                "Final Counters for ",
                "RDIO: Number of bytes read=999999999999999999 ",
                "HDFS: Number of bytes read=1\n",
                "Container: container_1 ",
                "Unable to load io.rdio.x",
                "\n"))
        .list()
        .ofMaxSize(40)
        .map(parts -> String.join("", parts));
  }

  @Property(tries = 500)
  void noTextMakesItFailOrSumsThatAreNone(@ForAll("text") String text) throws IOException {
    JobLog log = new JobLog();
    for (int i = 0; i < 30; i++) {
      log.read(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }
    for (JobLog.Bytes bytes : new JobLog.Bytes[] {log.processes(), log.jobs(), log.tasks()}) {
      assertThat(bytes.byAgent()).isBetween(0L, bytes.byRdio());
      assertThat(bytes.byRdio()).isBetween(0L, bytes.fromHdfs());
    }
    StringWriter out = new StringWriter();
    new JobReport(log, new PrintWriter(out)).print();
    assertThat(out.toString()).contains("RDIO");
  }

  /** What is behind it is read all the same. */
  @Example
  void aLineThatDoesNotEndTakesNoMemory() throws IOException {
    byte[] part = "x".repeat(1 << 20).getBytes(UTF_8);
    byte[] last = ("\n" + ExitLine.of(new ClientCounters(), 5)).getBytes(UTF_8);
    List<InputStream> parts = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      parts.add(new ByteArrayInputStream(part));
    }
    parts.add(new ByteArrayInputStream(last));
    JobLog log = new JobLog();
    long allocated =
        Allocation.of(() -> log.read(new SequenceInputStream(Collections.enumeration(parts))));
    assertThat(allocated).isLessThan(2 << 20);
    assertThat(log.lines()).isEqualTo(2);
    assertThat(log.processes().fromHdfs()).isEqualTo(5);
  }
}
