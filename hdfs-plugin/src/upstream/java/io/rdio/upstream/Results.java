// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import java.io.PrintStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** How the tests of one class ended. Thread-safe: the watchdog looks while tests run. */
final class Results implements TestExecutionListener {
  private final PrintStream log;
  private final Map<String, String> failures = new TreeMap<>();
  private final Set<String> running = new ConcurrentSkipListSet<>();
  private int passed;
  private int failed;
  private int aborted;
  private int skipped;
  private TestPlan plan;

  /**
   * @param log takes the stack traces
   */
  Results(PrintStream log) {
    this.log = log;
  }

  @Override
  public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
    plan = testPlan;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      running.add(nameOf(test));
      log.println("=== " + test.getLegacyReportingName());
    }
  }

  @Override
  public synchronized void executionSkipped(TestIdentifier test, String reason) {
    skipped +=
        test.isTest()
            ? 1
            : (int) plan.getDescendants(test).stream().filter(TestIdentifier::isTest).count();
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    running.remove(nameOf(test));
    switch (result.getStatus()) {
      case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
      case ABORTED -> aborted++;
      case FAILED -> {
        Throwable failure = result.getThrowable().orElseThrow();
        fail(nameOf(test), failure.toString());
        log.println("=== " + test.getLegacyReportingName() + " FAILED");
        failure.printStackTrace(log);
      }
    }
  }

  /** A test that will never end, as the watchdog sees it. */
  synchronized void fail(String test, String why) {
    failed++;
    failures.merge(test, why, (first, second) -> first + "; " + second);
  }

  /** Takes back a failure of a test that is to be run again. */
  synchronized void forget(String test) {
    log.println("=== again: " + test + ", which failed with " + failures.remove(test));
    failed--;
  }

  /** Tests that have begun and not ended. */
  Set<String> running() {
    return running;
  }

  /** What failed, with the reason: {@code Class#method}, or {@code Class} for its set-up. */
  synchronized Map<String, String> failures() {
    return new TreeMap<>(failures);
  }

  synchronized int tests() {
    return passed + failed + aborted + skipped;
  }

  synchronized String summary() {
    return String.join("\t", "" + tests(), "" + passed, "" + failed, "" + aborted, "" + skipped);
  }

  private static String nameOf(TestIdentifier test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(MethodSource.class::cast)
        .map(method -> method.getClassName() + "#" + method.getMethodName())
        .orElseGet(test::getLegacyReportingName);
  }
}
