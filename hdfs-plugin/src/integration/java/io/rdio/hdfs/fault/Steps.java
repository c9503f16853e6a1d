// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Holds other processes of a cluster at a named step: a file {@code STEP.hold} in the cluster's
 * folder makes whoever gets there write {@code STEP.reached} and wait until the hold is gone.
 */
public final class Steps {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final Duration REACHED_MAX = Duration.ofMinutes(2);

  private final Path folder;

  private Steps(Path folder) {
    this.folder = folder;
  }

  /** Those of a cluster, for the test. */
  public static Steps of(Cluster cluster) throws IOException {
    return new Steps(Files.createDirectories(cluster.folder().resolve("steps")));
  }

  /** Those of the cluster that this JVM was started for. */
  public static Steps ofThisJvm() {
    return new Steps(Path.of(System.getProperty("rdio.cluster")).resolve("steps"));
  }

  /** Where they are noted. */
  Path folder() {
    return folder;
  }

  /** From now on whoever reaches this step stays there. */
  public void hold(String step) throws IOException {
    Files.deleteIfExists(reached(step));
    Files.createFile(held(step));
  }

  /** Returns when somebody is held at the step. */
  public void awaitReached(String step) {
    await(step).atMost(REACHED_MAX).until(() -> isReached(step));
  }

  /** Whether somebody is held at the step, or was since it was held. */
  public boolean isReached(String step) {
    return Files.exists(reached(step));
  }

  /** Lets those go on who are held, and later ones pass. */
  public void release(String step) throws IOException {
    Files.deleteIfExists(held(step));
  }

  /** Called at the step, by the process that may have to wait. */
  public void pass(String step) {
    if (Files.exists(held(step))) {
      try {
        Files.writeString(reached(step), "");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      while (Files.exists(held(step))) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private Path held(String step) {
    return folder.resolve(step + ".hold");
  }

  private Path reached(String step) {
    return folder.resolve(step + ".reached");
  }
}
