// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

/** What is measured. */
enum Scene {
  /** Tasks, each a fresh JVM that reads a file from its start to its end. */
  JOB("job"),
  /** The same by JVMs that have the options that docs/operations.md has for short tasks. */
  QUICK_JOB("job, quick JVMs"),
  /** The same JVMs as those of JOB, but each reads a KiB only. */
  BARE_JOB("job of 1 KiB each"),
  /** Readers at random places, all at once: threads of a JVM by RDIO, processes by the agent. */
  CROWD("crowd");

  private final String label;

  Scene(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
