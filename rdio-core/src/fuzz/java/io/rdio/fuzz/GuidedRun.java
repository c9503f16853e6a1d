// SPDX-License-Identifier: Apache-2.0
package io.rdio.fuzz;

import static io.rdio.fuzz.GuidedFuzzing.say;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One target for some seconds. Its folder keeps what Jazzer printed (log), the bytes that took new
 * branches, of this run only (corpus), and bytes that failed (findings), with which each later run
 * begins until somebody deletes them. For one thread.
 */
final class GuidedRun {
  private static final String JAZZER = "com.code_intelligence.jazzer.Jazzer";

  /** What Jazzer takes to start, and then one call that is under way at the end of its time. */
  private static final int GRACE_SECONDS = 300;

  /** Of one call. Each wait of the checks gives up after 20 seconds. */
  private static final int CALL_SECONDS = 60;

  private static final int STACKS_SECONDS = 5;
  private static final int HEAP_MB = 1024;
  private static final int MEMORY_MB = 3 * HEAP_MB;
  private static final int SHOWN_LINES = 25;
  private static final int HANGS = -1;

  private static final Pattern CALLS =
      Pattern.compile("^stat::number_of_executed_units: (\\d+)", Pattern.MULTILINE);
  private static final Pattern BRANCHES =
      Pattern.compile("^#\\d+\\t.* cov: (\\d+)", Pattern.MULTILINE);
  private static final Pattern BYTES = Pattern.compile("Test unit written to (\\S+)");
  private static final Pattern TROUBLE =
      Pattern.compile(
          "(== Java Exception: |==\\d+== ERROR: |ERROR: |# A fatal error |Full thread dump ).*");

  private final GuidedTarget target;
  private final Path folder;
  private final Path log;
  private final int seconds;

  GuidedRun(GuidedTarget target, Path folder, int seconds) {
    this.target = target;
    this.folder = folder;
    this.log = folder.resolve("log");
    this.seconds = seconds;
  }

  /**
   * Has Jazzer look for something, and says in a line what came of it.
   *
   * @return what was found, for a person to read; empty if it is nothing
   */
  List<String> findings() throws Exception {
    Path corpus = Files.createDirectories(folder.resolve("corpus"));
    Path findings = Files.createDirectories(folder.resolve("findings"));
    plant(corpus);
    int status = run(command(corpus, findings));
    // Whatever bytes the target printed: each is a character here.
    String printed = Files.readString(log, ISO_8859_1);
    String calls = last(CALLS, printed).orElse("no");
    Optional<String> branches = last(BRANCHES, printed);
    String counts = calls + " calls, " + branches.orElse("no") + " branches";
    boolean clean = status == 0 && branches.isPresent();
    say(target.name() + ": " + counts + ", " + (clean ? "good" : fault(status)));
    return clean ? List.of() : told(printed);
  }

  private List<String> told(String printed) {
    List<String> lines = new ArrayList<>();
    shown(printed).forEach(line -> lines.add("    " + line));
    lines.add("  All that it printed: " + log);
    last(BYTES, printed).ifPresent(bytes -> lines.addAll(advice(bytes)));
    return lines;
  }

  private static String fault(int status) {
    return switch (status) {
      case 0 -> "FAILED: Jazzer saw no branch";
      case HANGS -> "FAILED: it did not end";
      default -> "FAILED with status " + status;
    };
  }

  /** Puts the seeds in the place of what an earlier run left: its time would be spent on that. */
  private void plant(Path corpus) throws Exception {
    try (DirectoryStream<Path> old = Files.newDirectoryStream(corpus)) {
      for (Path file : old) {
        Files.delete(file);
      }
    }
    int number = 0;
    for (byte[] seed : target.seeds().call()) {
      Files.write(corpus.resolve("seed-" + number), seed);
      number++;
    }
  }

  private List<String> command(Path corpus, Path findings) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-classpath",
        System.getProperty("java.class.path"),
        "-Xmx" + HEAP_MB + "m",
        "-ea",
        "-XX:-OmitStackTraceInFastThrow",
        "-XX:+EnableDynamicAgentLoading",
        "-Djdk.attach.allowAttachSelf=true",
        JAZZER,
        "--target_class=" + target.type().getName(),
        "--instrumentation_includes=io.rdio.**",
        "--custom_hook_includes=io.rdio.**",
        "--reproducer_path=" + folder,
        "-artifact_prefix=" + findings + "/",
        "-max_total_time=" + seconds,
        "-max_len=" + target.bytesMax(),
        "-timeout=" + CALL_SECONDS,
        // Or calls that are only slow would be among the findings.
        "-report_slow_units=" + CALL_SECONDS,
        "-rss_limit_mb=" + MEMORY_MB,
        "-print_final_stats=1",
        corpus.toString(),
        findings.toString());
  }

  /** The status that it ended with, or {@link #HANGS}. */
  private int run(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      process.getOutputStream().close();
      if (process.waitFor((long) seconds + GRACE_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      Command.run("sh", "-c", "kill -QUIT " + process.pid()); // it prints its threads' stacks
      return process.waitFor(STACKS_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : HANGS;
    } finally {
      process.destroyForcibly();
    }
  }

  /** What a pattern finds last. */
  private static Optional<String> last(Pattern pattern, String printed) {
    return pattern
        .matcher(printed)
        .results()
        .reduce((first, second) -> second)
        .map(found -> found.group(1));
  }

  /** The lines from where it tells of trouble on; its last ones if it does not. */
  private static List<String> shown(String printed) {
    List<String> lines = printed.lines().toList();
    int from = 0;
    while (from < lines.size() && !TROUBLE.matcher(lines.get(from)).matches()) {
      from++;
    }
    if (from == lines.size()) {
      from = Math.max(0, lines.size() - SHOWN_LINES);
    }
    return lines.subList(from, Math.min(lines.size(), from + SHOWN_LINES));
  }

  private List<String> advice(String bytes) {
    return List.of(
        "  The bytes that failed: " + bytes,
        "  bin/test --guided 10 " + target.name() + " begins with them, until that file is gone.",
        "  Make a test of them that fails, and repair what is wrong.");
  }
}
