// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The steps of a process of a cluster, counted from 0 as they come. A test learns from one run how
 * many there are, and has the process held at any of them in another one. While somebody in it is
 * held nobody else there comes past a step.
 */
final class CountedSteps {
  private final Steps steps;
  private final String process;
  private final Path list;

  @GuardedBy("this")
  private int count;

  private CountedSteps(Steps steps, String process) {
    this.steps = steps;
    this.process = process;
    this.list = list(steps, process);
  }

  /**
   * Begins to count those of this JVM, which its cluster knows as the process of this name: what an
   * earlier one of the name has passed is forgotten.
   */
  static CountedSteps ofThisJvm(String process) throws IOException {
    CountedSteps counted = new CountedSteps(Steps.ofThisJvm(), process);
    Files.deleteIfExists(counted.list);
    return counted;
  }

  /** What the present process of a name has passed, in order, and behind that where it is held. */
  static List<String> passed(Steps steps, String process) throws IOException {
    Path list = list(steps, process);
    return Files.exists(list) ? Files.readAllLines(list) : List.of();
  }

  /** How {@link Steps} calls a process's n-th step. */
  static String name(String process, int n) {
    return process + "-" + n;
  }

  private static Path list(Steps steps, String process) {
    return steps.folder().resolve(process + ".passed");
  }

  /**
   * Called at each step.
   *
   * @param what it is, for people
   */
  synchronized void pass(String what) {
    try {
      Files.write(list, List.of(what), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    steps.pass(name(process, count));
    count++;
  }
}
