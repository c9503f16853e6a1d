// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.way.ExitLine;
import io.rdio.hdfs.client.way.FallbackLine;
import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a job left in text about RDIO, added up: lines of processes that ended, warnings, and
 * MapReduce's counters. It takes whatever text there is, in memory that does not grow with it; sums
 * stop at what a long takes. Not thread-safe.
 */
final class JobLog {
  private static final Pattern COUNTERS_BEGIN = Pattern.compile("\\bCounters: \\d{1,9}\\b");
  private static final Pattern COUNTER =
      Pattern.compile("\\b(HDFS|RDIO): Number of bytes read=(\\d{1,18})\\b");
  private static final Pattern CONTAINER = Pattern.compile("^Container: (container_\\w{1,100}) ");

  /** As Hadoop says that it cannot find RDIO's class. */
  private static final Pattern NOT_LOADED = Pattern.compile("Unable to load io\\.rdio\\.\\w");

  /** In a task's own log. */
  private static final String OF_A_TASK = "Final Counters for ";

  /** Bytes that several tell of, added up. */
  static final class Bytes {
    private long tellers;
    private long fromHdfs;
    private long byRdio;
    private long byAgent;

    private void add(ExitLine line) {
      tellers++;
      fromHdfs = plus(fromHdfs, line.fromHdfs());
      byRdio = plus(byRdio, line.byRdio());
      byAgent = plus(byAgent, line.byAgent());
    }

    private void add(String counter, long bytes) {
      if (counter.equals("HDFS")) {
        tellers++;
        fromHdfs = plus(fromHdfs, bytes);
      } else {
        byRdio = plus(byRdio, bytes);
      }
    }

    /** How many told. */
    long tellers() {
      return tellers;
    }

    /** By any way; never less than by RDIO. */
    long fromHdfs() {
      return Math.max(fromHdfs, byRdio);
    }

    long byRdio() {
      return byRdio;
    }

    /** Of those by RDIO; processes tell, counters do not. */
    long byAgent() {
      return byAgent;
    }
  }

  /** How often a reason was met. */
  static final class Tally {
    static final Comparator<Tally> MOST_FIRST =
        Comparator.comparingLong(Tally::met).thenComparingLong(Tally::lines).reversed();

    private final String name;
    private String detail = "";
    private long met;
    private long processes;
    private long lines;

    private Tally(String name) {
      this.name = name;
    }

    /** The reason's name; of those that this version does not know the first one. */
    String name() {
      return name;
    }

    /** Of the first line that has one; else empty. */
    String detail() {
      return detail;
    }

    /** How often stock HDFS read for it, as processes say at their end. */
    long met() {
      return met;
    }

    /** How many processes say so. */
    long processes() {
      return processes;
    }

    /** Lines of logs about it, which are fewer: one in ten minutes for each process. */
    long lines() {
      return lines;
    }
  }

  private final Bytes processes = new Bytes();
  private final Bytes jobs = new Bytes();
  private final Bytes tasks = new Bytes();
  private final Map<FallbackReason, Tally> reasons = new EnumMap<>(FallbackReason.class);
  private @Nullable Tally unknown;
  private Bytes counters = jobs;
  private String container = "";
  private long containers;
  private long lines;
  private long notLoaded;

  /** Adds what is in a text, to its end. */
  void read(InputStream in) throws IOException {
    BoundedLines text = new BoundedLines(in);
    counters = jobs;
    for (String line = text.next(); line != null; line = text.next()) {
      lines = plus(lines, 1);
      add(line);
    }
  }

  private void add(String line) {
    ExitLine exit = ExitLine.parse(line);
    if (exit != null) {
      processes.add(exit);
      exit.reasons().forEach(this::met);
      return;
    }
    FallbackLine fallback = FallbackLine.parse(line);
    if (fallback != null) {
      Tally tally = tally(fallback.reason());
      tally.lines++;
      tally.detail = tally.detail.isEmpty() ? fallback.detail() : tally.detail;
      return;
    }
    addCounters(line);
    Matcher begin = CONTAINER.matcher(line);
    if (begin.find() && !begin.group(1).equals(container)) {
      container = begin.group(1);
      containers++;
    }
    if (NOT_LOADED.matcher(line).find()) {
      notLoaded++;
    }
  }

  private void met(String name, long times) {
    Tally tally = tally(name);
    tally.met = plus(tally.met, times);
    tally.processes++;
  }

  private Tally tally(String name) {
    for (FallbackReason reason : FallbackReason.values()) {
      if (reason.name().equals(name)) {
        return reasons.computeIfAbsent(reason, known -> new Tally(name));
      }
    }
    unknown = unknown == null ? new Tally(name) : unknown;
    return unknown;
  }

  /** Some layouts have a job's counters in one line. */
  private void addCounters(String line) {
    if (COUNTERS_BEGIN.matcher(line).find()) {
      counters = line.contains(OF_A_TASK) ? tasks : jobs;
    }
    Matcher counter = COUNTER.matcher(line);
    while (counter.find()) {
      counters.add(counter.group(1), Long.parseLong(counter.group(2)));
    }
  }

  private static long plus(long sum, long more) {
    return sum > Long.MAX_VALUE - more ? Long.MAX_VALUE : sum + more;
  }

  /** What processes said at their end. */
  Bytes processes() {
    return processes;
  }

  /** What jobs' counters say, the sum of all their tasks. */
  Bytes jobs() {
    return jobs;
  }

  /** What tasks' own counters say, in their logs. */
  Bytes tasks() {
    return tasks;
  }

  /** Those that occur. */
  Map<FallbackReason, Tally> reasons() {
    return reasons;
  }

  /** All names that this version does not know; null if there are none. */
  @Nullable Tally unknown() {
    return unknown;
  }

  /** Containers whose logs follow each other, as {@code yarn logs} writes them. */
  long containers() {
    return containers;
  }

  /** Of the text. */
  long lines() {
    return lines;
  }

  /** Whether anything of it is from RDIO. */
  boolean hasRdio() {
    return processes.tellers > 0
        || jobs.byRdio > 0
        || tasks.byRdio > 0
        || !reasons.isEmpty()
        || unknown != null;
  }

  /** How often Hadoop did not find RDIO's class. */
  long notLoaded() {
    return notLoaded;
  }
}
