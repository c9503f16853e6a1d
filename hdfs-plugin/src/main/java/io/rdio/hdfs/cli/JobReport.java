// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Says for {@code rdio doctor --job} whether a job was read by RDIO, and if not, why. */
final class JobReport {
  private static final int DETAIL_MAX = 300;
  private static final String NOT_TOLD = "-";

  private final JobLog log;
  private final PrintWriter out;

  JobReport(JobLog log, PrintWriter out) {
    this.log = log;
    this.out = out;
  }

  /**
   * Reads files, all files in folders, and for {@code -} the standard input.
   *
   * @throws IOException that says which one cannot be read
   */
  static JobLog read(List<String> names, InputStream standardInput) throws IOException {
    JobLog log = new JobLog();
    for (String name : names) {
      if (name.equals("-")) {
        log.read(standardInput);
      } else if (Files.isDirectory(Path.of(name))) {
        readFolder(Path.of(name), log);
      } else {
        readFile(Path.of(name), log);
      }
    }
    return log;
  }

  private static void readFolder(Path folder, JobLog log) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      readFile(file, log);
    }
  }

  private static void readFile(Path file, JobLog log) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      log.read(in);
    } catch (IOException e) {
      throw new IOException(
          "--job "
              + file
              + " cannot be read ("
              + e
              + "); name files or folders that a job left, or"
              + " - for the standard input",
          e);
    }
  }

  /** Prints it; true if any bytes came by RDIO. */
  boolean print() {
    out.println("RDIO in " + log.lines() + " lines that the job left");
    printBytes();
    printReasons();
    printHints();
    boolean used = best().byRdio() > 0;
    out.println(verdict());
    out.flush();
    return used;
  }

  /** What tells of the most by RDIO, or else of the most: others see a part of the same. */
  private JobLog.Bytes best() {
    return Stream.of(log.processes(), log.jobs(), log.tasks())
        .max(Comparator.comparingLong(JobLog.Bytes::byRdio).thenComparing(JobLog.Bytes::fromHdfs))
        .orElseThrow();
  }

  private String verdict() {
    JobLog.Bytes best = best();
    if (best.byRdio() > 0) {
      String some = Table.bytes(best.byRdio()) + " of " + Table.bytes(best.fromHdfs());
      return "RDIO was used: it read "
          + some
          + " ("
          + percent(best.byRdio(), best.fromHdfs())
          + ").";
    }
    if (log.processes().tellers() > 0) {
      return best.fromHdfs() == 0
          ? "RDIO WAS NOT USED: nothing was read from HDFS."
          : "RDIO WAS NOT USED: stock HDFS read all.";
    }
    return log.hasRdio()
        ? "NOT KNOWN whether RDIO was used: nothing here says how much it read."
        : "NOT KNOWN whether RDIO was used: nothing here is of it.";
  }

  private void printBytes() {
    Table table =
        new Table("  TOLD BY", "FROM HDFS", "BY RDIO", "BY AGENT", "BY DEVICES", "BY STOCK HDFS");
    boolean any = row(table, "processes at their end", log.processes(), true);
    any |= row(table, "counters of jobs", log.jobs(), false);
    any |= row(table, "counters of tasks", log.tasks(), false);
    if (any) {
      table.print(out);
    }
  }

  private static boolean row(Table table, String who, JobLog.Bytes bytes, boolean tellsWays) {
    if (bytes.tellers() == 0 && bytes.byRdio() == 0) {
      return false;
    }
    long all = bytes.fromHdfs();
    table.row(
        "  " + who + ": " + bytes.tellers(),
        Table.bytes(all),
        share(bytes.byRdio(), all),
        tellsWays ? share(bytes.byAgent(), all) : NOT_TOLD,
        tellsWays ? share(bytes.byRdio() - bytes.byAgent(), all) : NOT_TOLD,
        share(all - bytes.byRdio(), all));
    return true;
  }

  private static String share(long part, long all) {
    return Table.bytes(part) + (all == 0 ? "" : " (" + percent(part, all) + ")");
  }

  private static String percent(long part, long all) {
    return (long) (100.0 * part / all) + " %";
  }

  private void printReasons() {
    JobLog.Tally unknown = log.unknown();
    if (log.reasons().isEmpty() && unknown == null) {
      return;
    }
    out.println("Why not by RDIO, or not by the agent");
    log.reasons().entrySet().stream()
        .sorted(Map.Entry.comparingByValue(JobLog.Tally.MOST_FIRST))
        .forEach(entry -> printReason(entry.getKey(), entry.getValue()));
    if (unknown != null) {
      printCounts(unknown);
      item("what", "this and other names are not known to this version of RDIO");
      item("fix", "look with the version of 'rdio' that the job had");
    }
  }

  private void printReason(FallbackReason reason, JobLog.Tally tally) {
    printCounts(tally);
    item("what", reason.text());
    item("here", printable(tally.detail()));
    item("fix", reason.fix());
    item("more", "docs/troubleshooting.md, chapter " + reason);
  }

  private void printCounts(JobLog.Tally tally) {
    List<String> counts = new ArrayList<>();
    if (tally.met() > 0) {
      counts.add("stock HDFS read for it: " + tally.met());
      counts.add("processes: " + tally.processes());
    }
    if (tally.lines() > 0) {
      counts.add("lines of the log: " + tally.lines());
    }
    out.println("  " + tally.name() + " (" + String.join(", ", counts) + ")");
  }

  private void item(String what, String text) {
    if (!text.isEmpty()) {
      out.printf("    %s: %s%n", what, text);
    }
  }

  /** A log is not ours: it may have what terminals obey. */
  private static String printable(String text) {
    String some = text.length() > DETAIL_MAX ? text.substring(0, DETAIL_MAX) + "..." : text;
    return FsCommand.printable(some);
  }

  private void printHints() {
    List<String> hints = JobHints.of(log);
    if (!hints.isEmpty()) {
      out.println("For the next time");
      hints.forEach(hint -> out.println("  - " + hint));
    }
  }
}
