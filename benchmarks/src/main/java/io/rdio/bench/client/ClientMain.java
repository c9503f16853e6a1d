// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.demo.ReadReport;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client JVM, which lives as long as its standard input: a line each way for each task, or two
 * where a task is {@link Task#told} when to begin. What fails, ends it, and its standard error says
 * why.
 */
public final class ClientMain {
  /** What it says when a task that is {@link Task#told} may begin. */
  public static final String READY = "ready";

  private ClientMain() {}

  /**
   * Arguments: {@code hdfs heap|direct|aligned}, or {@code device} or {@code local} and the file of
   * the layout.
   */
  public static void main(String[] args) throws IOException {
    // A library that writes to standard output must not write into an answer.
    PrintStream answers = System.out;
    System.setOut(System.err);
    try (ReadWay way = way(args);
        BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
        Loads loads = new Loads(way, () -> awaitStart(answers, tasks));
        answers.println(answer(way, loads, Task.ofLine(line)).toLine());
        answers.flush();
      }
    }
  }

  private static ReadWay way(String[] args) throws IOException {
    return switch (args[0]) {
      case "hdfs" -> new HdfsWay(args[1]);
      case "device" -> new DeviceWay(DeviceLayout.read(Path.of(args[1])));
      case "local" -> new LocalWay(LocalLayout.read(Path.of(args[1])));
      default -> throw new IOException("no way of reading: " + args[0]);
    };
  }

  private static void awaitStart(PrintStream answers, BufferedReader tasks) throws IOException {
    answers.println(READY);
    answers.flush();
    String time = tasks.readLine();
    if (time == null) {
      throw new EOFException("standard input ended before it said when to begin");
    }
    try {
      Thread.sleep(Math.max(0, Long.parseLong(time) - System.currentTimeMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before the common start");
    }
  }

  /** How often each reason was counted so far. */
  private static Map<String, Long> fallbacks() {
    Map<String, Long> fallbacks = new TreeMap<>(ReadReport.ofThisJvm(0).fallbacks());
    for (FallbackReason reason : FallbackReason.values()) {
      fallbacks.merge(reason.name(), WriteCounters.OF_THIS_JVM.fallbacks(reason), Long::sum);
    }
    return fallbacks;
  }

  private static Answer answer(ReadWay way, Loads loads, Task task) throws IOException {
    Map<String, Long> fallbacksBefore = fallbacks();
    ClientCounters counters = RdioClientContext.counters();
    WriteCounters writes = WriteCounters.OF_THIS_JVM;
    PhaseCounters phases = new PhaseCounters(counters, writes);
    long rdioRead = counters.rdioBytes.sum();
    long rdioWritten = writes.bytes.sum();
    long vectoredRanges = counters.vectoredRanges.sum();
    long togetherBytes = counters.togetherBytes.sum();
    long cacheHits = counters.dataCacheHits.sum();
    long cacheMisses = counters.dataCacheMisses.sum();
    Loads.Outcome outcome = loads.run(task);
    Map<String, Long> fallbacks = fallbacks();
    fallbacksBefore.forEach((reason, count) -> fallbacks.merge(reason, -count, Long::sum));
    fallbacks.values().removeIf(count -> count == 0);
    long byRdio = writes.bytes.sum() - rdioWritten;
    boolean alsoWrites = outcome.writtenBytes() > 0;
    return new Answer(
        new Totals(
            outcome.bytes(),
            outcome.reads(),
            outcome.effort().seconds(),
            outcome.effort().cpuSeconds(),
            outcome.effort().threadCpuSeconds()),
        new Counters(
            counters.rdioBytes.sum() - rdioRead + (alsoWrites ? 0 : byRdio),
            way.takeShortCircuitBytes(),
            counters.vectoredRanges.sum() - vectoredRanges,
            counters.togetherBytes.sum() - togetherBytes,
            counters.dataCacheHits.sum() - cacheHits,
            counters.dataCacheMisses.sum() - cacheMisses,
            fallbacks),
        outcome.latencies().getTotalCount() == 0 ? "" : Answer.encode(outcome.latencies()),
        outcome.sha256(),
        phases.split(outcome.phases()),
        alsoWrites ? new Written(outcome.writtenBytes(), byRdio) : Written.NONE);
  }
}
