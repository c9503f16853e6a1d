// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import io.rdio.hdfs.client.direct.RdioClientContext;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one of Hadoop's test classes in this JVM and says on one line how it went and who served its
 * reads. Exit status 0 if all is as the lists expect, 1 if not.
 *
 * <p>Arguments: the folder of the lists, the line of Hadoop that is tested ({@code 3.4}), the
 * class, {@code rdio}, {@code adaptive}, {@code agent}, {@code write}, {@code write-striped} or
 * {@code stock} for what the site file on the class path switches on, and the seconds after which
 * the class counts as hung.
 */
public final class RunClass {
  /** The real ones: what a test prints goes to the log. */
  private static final PrintStream RESULT = System.out;

  private final String line;
  private final String className;
  private final boolean rdio;
  private final boolean byAllReplicas;
  private final boolean byAgent;
  private final boolean writes;
  private final boolean writesStriped;

  /** What is expected of a class whose files the agent writes. */
  private final String writeList;

  private final Lists lists;
  private final Results results = new Results(System.err);
  private final long began = System.nanoTime();

  private RunClass(Path listFolder, String line, String className, String site) {
    this.line = line;
    this.className = className;
    this.rdio = !site.equals("stock");
    this.writesStriped = site.equals("write-striped");
    this.writes = writesStriped || site.equals("write");
    this.writeList = writesStriped ? "write-striped" : "write";
    this.byAllReplicas = site.equals("adaptive");
    this.byAgent = writes || site.equals("agent");
    this.lists = new Lists(listFolder);
  }

  public static void main(String[] args) throws IOException {
    System.setOut(System.err);
    RunClass run = new RunClass(Path.of(args[0]), args[1], args[2], args[3]);
    run.watch(Duration.ofSeconds(Long.parseLong(args[4])));
    if (run.byAgent) {
      Agents.start();
    }
    run.execute(List.of(DiscoverySelectors.selectClass(run.className)));
    run.executeRacesAgain();
    // Daemons that a test did not stop must not keep this JVM.
    Runtime.getRuntime().halt(run.report());
  }

  /**
   * Methods of the list {@code races} that failed get another chance, and one more; their last
   * outcome counts. RDIO failing them would fail all three.
   */
  private void executeRacesAgain() throws IOException {
    Set<String> races = lists.read("races").keySet();
    for (int chance = 0; chance < 2; chance++) {
      List<String> lost = results.failures().keySet().stream().filter(races::contains).toList();
      if (lost.isEmpty()) {
        return;
      }
      lost.forEach(results::forget);
      execute(lost.stream().map(DiscoverySelectors::selectMethod).toList());
    }
  }

  private void execute(List<? extends DiscoverySelector> selectors) throws IOException {
    Map<String, String> excluded = new HashMap<>(rdio ? lists.read("exclude") : Map.of());
    excluded.putAll(rdio && !byAllReplicas ? lists.read("exclude-one-replica") : Map.of());
    excluded.putAll(writes ? lists.read("exclude-write") : Map.of());
    excluded.putAll(writesStriped ? lists.read("exclude-write-striped") : Map.of());
    PostDiscoveryFilter included =
        test ->
            FilterResult.includedIf(
                test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(MethodSource.class::cast)
                    .map(method -> method.getClassName() + "#" + method.getMethodName())
                    .map(name -> !excluded.containsKey(name))
                    .orElse(true));
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectors)
            .filters(included)
            // Those that the site's folder names, if any.
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .build();
    LauncherFactory.create().execute(request, results);
  }

  private void watch(Duration patience) {
    Thread watchdog =
        new Thread(
            () -> {
              try {
                Thread.sleep(patience.toMillis());
                Thread.getAllStackTraces().forEach(RunClass::dump);
                results.running().forEach(test -> results.fail(test, "not ended in " + patience));
                results.fail(className, "not ended in " + patience);
                Runtime.getRuntime().halt(report());
              } catch (InterruptedException | IOException e) {
                e.printStackTrace();
              }
            },
            "watchdog");
    watchdog.setDaemon(true);
    watchdog.start();
  }

  private static void dump(Thread thread, StackTraceElement[] stack) {
    System.err.println(thread);
    for (StackTraceElement frame : stack) {
      System.err.println("    at " + frame);
    }
  }

  /** Prints the line, and below it what is not as expected; the exit status. */
  private int report() throws IOException {
    Map<String, Long> counts = RdioClientContext.dump();
    String counted = byAgent ? "AgentBytes" : "RdioBytes";
    long rdioBytes = counts.get(counted);
    long written = counts.get("WrittenBytes");
    Map<String, String> unexpected = results.failures();
    unexpected.keySet().removeAll(lists.read("known-failures-" + line).keySet());
    if (results.tests() == 0) {
      unexpected.put(className, "has no tests");
    }
    if (rdio && isServed("a") && rdioBytes == 0) {
      unexpected.put(className, "not one byte was read by RDIO: " + counted + " is 0");
    }
    if (writes && isServed(writeList) && written == 0) {
      unexpected.put(className, "not one byte was written by the agent: WrittenBytes is 0");
    }
    RESULT.println(
        String.join(
            "\t",
            unexpected.isEmpty() ? "ok" : "FAILED",
            className,
            results.summary(),
            String.format(Locale.ROOT, "%.0f", (System.nanoTime() - began) / 1e9),
            "" + CountingBuilder.BUILDS.sum(),
            "" + counts.get("MapLoads"),
            "" + rdioBytes,
            "" + counts.get("StockBytes"),
            fallbacks("Fallback_", counts),
            "" + written,
            fallbacks("WriteFallback_", counts)));
    unexpected.forEach(
        (test, why) -> RESULT.println("  " + test + ": " + why.lines().findFirst().orElse("")));
    RESULT.flush();
    return unexpected.isEmpty() ? 0 : 1;
  }

  /** Whether a list has it that RDIO does some of this class's work. */
  private boolean isServed(String list) throws IOException {
    return lists.read(list).getOrDefault(className, "").equals("rdio");
  }

  private static String fallbacks(String prefix, Map<String, Long> counts) {
    String reasons =
        counts.entrySet().stream()
            .filter(count -> count.getKey().startsWith(prefix) && count.getValue() > 0)
            .map(count -> count.getKey().substring(prefix.length()) + "=" + count.getValue())
            .collect(Collectors.joining(" "));
    return reasons.isEmpty() ? "-" : reasons;
  }
}
