// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.ChildBench.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * Another command of {@code bench}, of which what it printed or left as JSON is taken.
 *
 * @param line the command and its options
 * @param quickLine the same for a quick run
 * @param output takes what is wanted
 * @param leavesJson whether it has {@code --json}, and what is wanted is in that
 * @param needsRoot whether it needs root
 */
record CommandPart(
    String name,
    String line,
    String quickLine,
    Duration bound,
    Duration quickBound,
    boolean leavesJson,
    boolean needsRoot,
    Output output)
    implements Part {

  /** Takes what is wanted of a command's output. */
  @FunctionalInterface
  interface Output {
    /**
     * Takes it.
     *
     * @param json that it left; empty if it leaves none
     * @param printed its lines
     */
    Measured of(Map<?, ?> json, List<String> printed);
  }

  /** One that leaves JSON, and needs root. */
  static CommandPart json(
      String name, String line, String quickLine, Duration[] bounds, Output output) {
    return new CommandPart(name, line, quickLine, bounds[0], bounds[1], true, true, output);
  }

  /** Bounds of the whole run and of the quick one. */
  static Duration[] seconds(int whole, int quick) {
    return new Duration[] {Duration.ofSeconds(whole), Duration.ofSeconds(quick)};
  }

  @Override
  public String runs(boolean quick) {
    return "bin/rdio bench " + (quick ? quickLine : line);
  }

  @Override
  public Duration bound(boolean quick) {
    return quick ? quickBound : bound;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of((terms.quick() ? quickLine : line).split(" ", -1)));
    Path json = terms.folder().resolve(name + ".json");
    Files.deleteIfExists(json);
    if (leavesJson) {
      arguments.add("--json");
      arguments.add(json.toString());
    }
    Path log = terms.folder().resolve(name + ".log");
    Ended ended = ChildBench.run(log, terms.deadline(), arguments);
    if (ended.status() != 0) {
      throw new IOException(
          "exit status " + ended.status() + "; " + log + " ends with\n" + ended.tail());
    }
    Map<?, ?> left =
        leavesJson
            ? new JsonSerialization<>(Map.class, false, false).fromJson(Files.readString(json))
            : Map.of();
    return output.of(left, ended.output());
  }
}
