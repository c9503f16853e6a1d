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
import java.util.function.Supplier;
import org.apache.hadoop.util.JsonSerialization;

/**
 * Another command of {@code bench}, of which what it printed or left as JSON is taken.
 *
 * @param line the command and its options
 * @param quickLine the same for a quick run; empty if it has no part in that
 * @param output takes what is wanted
 * @param leavesJson whether it has {@code --json}, and what is wanted is in that
 * @param needsRoot whether it needs root
 * @param machine why this machine cannot run it; empty if it can
 */
record CommandPart(
    String name,
    String line,
    String quickLine,
    Duration bound,
    Duration quickBound,
    boolean leavesJson,
    boolean needsRoot,
    Supplier<String> machine,
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

  /** How long a part may take, in seconds. */
  record Bounds(int whole, int quick) {}

  /** One that leaves JSON, and needs root. */
  static CommandPart json(
      String name, String line, String quickLine, Bounds bounds, Output output) {
    return new CommandPart(
        name,
        line,
        quickLine,
        Duration.ofSeconds(bounds.whole()),
        Duration.ofSeconds(bounds.quick()),
        true,
        true,
        () -> "",
        output);
  }

  /** One that prints what is wanted, and does not need root. */
  static CommandPart printing(
      String name, String line, String quickLine, Bounds bounds, Output output) {
    return json(name, line, quickLine, bounds, output).thatPrints(false);
  }

  /** The same, but it prints what is wanted. */
  CommandPart thatPrints(boolean asRoot) {
    return new CommandPart(
        name, line, quickLine, bound, quickBound, false, asRoot, machine, output);
  }

  /** The same, but some machines cannot run it. */
  CommandPart unless(Supplier<String> reason) {
    return new CommandPart(
        name, line, quickLine, bound, quickBound, leavesJson, needsRoot, reason, output);
  }

  @Override
  public boolean inQuick() {
    return !quickLine.isEmpty();
  }

  @Override
  public String obstacle() {
    return machine.get();
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
    try {
      return output.of(left, ended.output());
    } catch (IllegalArgumentException | ClassCastException e) {
      throw new IOException("what it left is not what it should be (" + log + "): " + e, e);
    }
  }
}
