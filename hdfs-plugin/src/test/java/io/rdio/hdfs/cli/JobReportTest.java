// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.way.ExitLine;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code rdio doctor --job} makes of what jobs leave. */
class JobReportTest {
  private static final int MIB = 1 << 20;
  private static final String WARNING =
      "26/11/25 13:00:00 WARN way.FallbackLog: RDIO: stock HDFS reads /in/part-1: this user may not"
          + " read the device [DEVICE_PERMISSION: /dev/nvme1n1 of dn1]. Fix: add a rule. More of"
          + " these are logged at DEBUG only.\n";

  @TempDir Path folder;
  private int files;

  /** As the process writes it. */
  private static String exit(long byAgent, long byDevices, long byStock, FallbackReason... why) {
    ClientCounters counters = new ClientCounters();
    counters.rdioBytes.add(byAgent + byDevices);
    counters.agentBytes.add(byAgent);
    counters.stockBytes.add(byStock);
    for (FallbackReason reason : why) {
      counters.fallback(reason);
    }
    return "2026-11-25 13:00:00,123 INFO [Thread-3] io.rdio.hdfs.client.ExitReport: "
        + ExitLine.of(counters, 0)
        + "\n";
  }

  private static String counters(String before, long fromHdfs, long byRdio) {
    return before
        + "Counters: 54\n\tFile System Counters\n\t\tFILE: Number of bytes read=77\n"
        + "\t\tHDFS: Number of bytes read="
        + fromHdfs
        + "\n\t\tHDFS: Number of bytes written=5\n"
        + (byRdio == 0 ? "" : "\t\tRDIO: Number of bytes read=" + byRdio + "\n")
        + "\tMap-Reduce Framework\n\t\tMap input records=10\n";
  }

  private String file(String... texts) throws IOException {
    Path file = folder.resolve("log" + files++);
    return Files.writeString(file, String.join("", texts)).toString();
  }

  private static CliRun job(String... names) {
    String[] all = new String[names.length + 2];
    all[0] = "doctor";
    all[1] = "--job";
    System.arraycopy(names, 0, all, 2, names.length);
    return CliRun.of(all);
  }

  @Test
  void addsUpWhatAllProcessesSay() throws IOException {
    String one = file(exit(6 * MIB, 0, 0), exit(1 * MIB, 1 * MIB, 0));
    CliRun run = job(one, file(exit(0, 0, 2 * MIB, FallbackReason.LEASE_LIMIT)));
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .containsPattern(
            "processes at their end: 3 +10 MB +8 MB \\(80 %\\) +7 MB \\(70 %\\) +1 MB \\(10 %\\)"
                + " +2 MB \\(20 %\\)\n")
        .contains(
            "  LEASE_LIMIT (stock HDFS read for it: 1, processes: 1)\n",
            "    what: " + FallbackReason.LEASE_LIMIT.text() + "\n",
            "    fix: " + FallbackReason.LEASE_LIMIT.fix() + "\n",
            "    more: docs/troubleshooting.md, chapter LEASE_LIMIT\n")
        .endsWith("RDIO was used: it read 8 MB of 10 MB (80 %).\n")
        .doesNotContain("For the next time");
  }

  @Test
  void reasonsThatWereMetMostComeFirst() throws IOException {
    CliRun run =
        job(
            file(
                WARNING,
                WARNING,
                exit(0, 0, MIB, FallbackReason.FIRST_READ),
                exit(0, 0, MIB, FallbackReason.PIN_LIMIT, FallbackReason.PIN_LIMIT)));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .containsSubsequence(
            "  PIN_LIMIT (stock HDFS read for it: 2, processes: 1)",
            "  FIRST_READ (stock HDFS read for it: 1, processes: 1)",
            "  DEVICE_PERMISSION (lines of the log: 2)",
            "    here: /dev/nvme1n1 of dn1\n",
            "RDIO WAS NOT USED: stock HDFS read all.");
  }

  @Test
  void theLineOfAProcessThatReadNothingIsNoUse() throws IOException {
    CliRun run = job(file(exit(0, 0, 0)));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("RDIO WAS NOT USED: nothing was read from HDFS.");
  }

  @Test
  void warningsAloneDoNotSayWhetherItWasUsed() throws IOException {
    CliRun run = job(file(WARNING));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("NOT KNOWN whether RDIO was used: nothing here says how much it read.")
        .contains("dfs.client.rdio.exit.report = true")
        .doesNotContain("dfs.client.replica.accessor.builder.classes");
  }

  @Test
  void countersOfAJobAndOfItsTasksAreTheSameBytes() throws IOException {
    String driver = counters("26/11/25 13:00:00 INFO mapreduce.Job: ", 8 * MIB, 6 * MIB);
    String task = "INFO [main] org.apache.hadoop.mapred.Task: Final Counters for attempt_1_m_";
    CliRun run =
        job(
            file(
                counters(task + "0: ", 4 * MIB, 3 * MIB), counters(task + "1: ", 4 * MIB, 3 * MIB)),
            file(driver));
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .containsPattern("counters of jobs: 1 +8 MB +6 MB \\(75 %\\) +- +- +2 MB \\(25 %\\)\n")
        .containsPattern("counters of tasks: 2 +8 MB +6 MB \\(75 %\\) +- +- +2 MB \\(25 %\\)\n")
        .contains("RDIO was used: it read 6 MB of 8 MB (75 %).");
  }

  @Test
  void countersWithoutRdioSayNothingOfIt() throws IOException {
    CliRun run = job(file(counters("", 8 * MIB, 0)));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .containsPattern("counters of jobs: 1 +8 MB +0 B \\(0 %\\)")
        .contains("NOT KNOWN whether RDIO was used: nothing here is of it.")
        .contains("dfs.client.rdio.job.counter = true");
  }

  @Test
  void nothingOfRdioNamesTheKeysForTheNextTime() throws IOException {
    CliRun run = job(file("INFO mapreduce.Job: map 100% reduce 0%\n"));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("RDIO in 1 lines that the job left")
        .contains(
            "dfs.client.replica.accessor.builder.classes ="
                + " io.rdio.hdfs.client.RdioReplicaAccessorBuilder",
            "dfs.client.rdio.enabled = true",
            "dfs.client.rdio.exit.report = true",
            "dfs.client.rdio.job.counter = true",
            "DEBUG for the logger io.rdio.hdfs.client.way.FallbackLog");
  }

  @Test
  void aJarThatWasNotThere() throws IOException {
    CliRun run =
        job(
            file(
                "WARN impl.DfsClientConf: Unable to load"
                    + " io.rdio.hdfs.client.RdioReplicaAccessorBuilder\n"));
    assertThat(run.out()).contains("could not load RDIO's class").doesNotContain("do not ask");
  }

  @Test
  void containersThatSaidNothingAreCounted() throws IOException {
    String header = "Container: container_1764_0001_01_00000";
    CliRun run =
        job(
            file(
                header + "1 on host_4\nLogType:stderr\n",
                header + "1 on host_4\nLogType:syslog\n",
                exit(MIB, 0, 0),
                header + "2 on host_4\nLogType:syslog\n",
                header + "3 on host_5\nLogType:syslog\n"));
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("containers without a line at their end: 2;");
  }

  @Test
  void namesOfAnotherVersionAreToldAsSuch() throws IOException {
    String line = exit(MIB, 0, MIB, FallbackReason.PIN_LIMIT).replace("PIN_LIMIT", "SPIN_LIMIT");
    assertThat(job(file(line)).out())
        .contains("  SPIN_LIMIT (stock HDFS read for it: 1, processes: 1)")
        .contains("not known to this version of RDIO");
  }

  @Test
  void whatALogHasForTerminalsToObeyIsNotHandedOn() throws IOException {
    CliRun run = job(file(WARNING.replace("nvme1n1", "\u001b[2J\u202ex")));
    assertThat(run.out()).contains("/dev/?[2J?x of dn1").doesNotContain("\u001b", "\u202e");
  }

  @Test
  void foldersAndTheStandardInput() throws IOException {
    Files.createDirectory(folder.resolve("node1"));
    Files.writeString(folder.resolve("node1").resolve("c1"), exit(MIB, 0, 0));
    Files.writeString(folder.resolve("node1").resolve("c2"), exit(MIB, 0, 0));
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(exit(MIB, 0, 0).getBytes(UTF_8)));
    try {
      assertThat(job("-", folder.toString()).out()).contains("processes at their end: 3");
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void aFileThatIsNotThere() {
    CliRun run = job(folder.resolve("gone").toString());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("--job " + folder.resolve("gone")).doesNotContain("    at ");
  }

  @Test
  void jobAndTuneAreTwoQuestions() throws IOException {
    assertThat(CliRun.of("doctor", "--job", file(), "--tune").status()).isEqualTo(2);
    assertThat(CliRun.of("doctor", "--job").status()).isEqualTo(2);
  }
}
