// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One run of docs/model/lease.pml, step by step. */
record Trace(String name, List<Step> steps) {
  /**
   * A step of the model and the state behind it.
   *
   * @param client of the step, or 0
   * @param state as the model prints it
   * @param mail where the client's request is
   */
  record Step(int number, String name, int client, List<Integer> state, String mail) {
    static final List<String> FIELDS =
        List.of(
            "the DataNode is up",
            "the extent is free",
            "a pin is there",
            "the pin has leases",
            "a recall is pending",
            "the extent is another file's",
            "lease of client 0 on the DataNode",
            "client 0 may read",
            "lease of client 1 on the DataNode",
            "client 1 may read");

    @Override
    public String toString() {
      return "step " + number + " (" + name + " " + client + ")";
    }
  }

  static Trace read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return new Trace(
        String.valueOf(file.getFileName()).replace(".trace", ""),
        IntStream.range(0, lines.size()).mapToObj(i -> parse(i + 1, lines.get(i))).toList());
  }

  // @ name client state... mail
  private static Step parse(int number, String line) {
    String[] words = line.strip().split(" +");
    int last = words.length - 1;
    if (last != Step.FIELDS.size() + 3 || !words[0].equals("@")) {
      throw new IllegalArgumentException("line " + number + " is no step: " + line);
    }
    List<Integer> state = Arrays.stream(words, 3, last).map(Integer::valueOf).toList();
    return new Step(number, words[1], Integer.parseInt(words[2]), state, words[last]);
  }
}
