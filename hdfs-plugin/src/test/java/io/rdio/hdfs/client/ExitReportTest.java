// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.cluster.ProcessEnd;
import java.nio.file.Path;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process says once at its end what read for it, also where its log is closed by then. */
class ExitReportTest {
  private static final String LINE = "RDIO: 0 B read from HDFS, 0 B of it by RDIO (nothing)";

  @ParameterizedTest
  @CsvSource({"INFO,open,log:", "INFO,closed,''", "WARN,closed,none"})
  void saysItOnce(String level, String log, String before) throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                level,
                log)
            .redirectErrorStream(true)
            .start();
    ProcessEnd end = ProcessEnd.of(jvm, "the JVM");
    assertThat(end.status()).as(end.output()).isZero();
    String written =
        end.output().lines().filter(line -> line.contains("RDIO: ")).toList().toString();
    assertThat(written).isEqualTo(before.equals("none") ? "[]" : "[" + before + LINE + "]");
  }

  /** A process that ends as a task of MapReduce does, or as others do. */
  public static final class Main {
    private Main() {}

    public static void main(String[] args) {
      Logger.getRootLogger().setLevel(Level.toLevel(args[0]));
      Logger.getRootLogger().addAppender(new ConsoleAppender(new PatternLayout("log:%m%n")));
      ExitReport.atExit();
      ExitReport.atExit();
      if (args[1].equals("closed")) {
        LogManager.shutdown();
      }
    }
  }
}
