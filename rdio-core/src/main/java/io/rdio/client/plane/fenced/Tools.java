// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs programs of the system, all of them together within a time; their output goes to files. For
 * one thread.
 */
final class Tools {
  private static final long LOOK_MILLIS = 20;
  private static final int SAID_MAX = 2000;

  /** What a program may say beside what it is run for; xfs_metadump has a line for each doubt. */
  private static final long TALK_BYTES_MAX = 16L << 20;

  private static final long PATIENT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The system's own: a service's path need not have them, and may have others. */
  private static final List<String> FOLDERS = List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin");

  private final Path folder;
  private final MonotonicClock clock;
  private final long deadline;
  private final boolean patient;

  /**
   * @param folder for what they say
   */
  Tools(Path folder, MonotonicClock clock, long nanos) {
    this(folder, clock, nanos, false);
  }

  private Tools(Path folder, MonotonicClock clock, long nanos, boolean patient) {
    this.folder = folder;
    this.clock = clock;
    this.deadline = clock.nanos() + nanos;
    this.patient = patient;
  }

  /**
   * For what undoes, or would leave something behind if it was ended in the midst: with a time of
   * their own, and an interrupt of the thread waits until they have ended.
   */
  static Tools patient(Path folder, MonotonicClock clock) {
    return new Tools(folder, clock, PATIENT_NANOS, true);
  }

  /** Patient ones, from now on. */
  Tools patient() {
    return patient(folder, clock);
  }

  /** A program of the system, whatever this one's own path is. */
  static Optional<Path> find(String program) {
    return FOLDERS.stream()
        .map(system -> Path.of(system, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * @throws IOException where the time is over
   */
  void requireTime(String name) throws IOException {
    if (clock.nanos() - deadline > 0) {
      throw new IOException(name + " took too long, or what was ahead of it");
    }
  }

  /** A file that grows while a program runs, and how large it may become. */
  record Growth(Path file, long bytesMax) {}

  /** What a program wrote to its standard output, without the last line's end. */
  String run(String... command) throws IOException {
    Path out = folder.resolve("out");
    run(new Growth(out, SAID_MAX), out, command);
    return Files.readString(out, UTF_8).strip();
  }

  /**
   * Runs a program to its end, or does not begin it where the time is over.
   *
   * @param growth that it is ended at
   * @param out for its standard output
   * @throws IOException with what it said where it fails
   */
  void run(Growth growth, Path out, String... command) throws IOException {
    requireTime(command[0]);
    Path said = folder.resolve("said");
    List<Growth> limits = new ArrayList<>(List.of(growth, new Growth(said, TALK_BYTES_MAX)));
    if (!out.equals(growth.file())) {
      limits.add(new Growth(out, TALK_BYTES_MAX));
    }
    // Java would look for it on this program's path, not on the one that is set below.
    Path program = find(command[0]).orElseThrow(() -> new IOException(command[0] + " is not here"));
    List<String> line = new ArrayList<>(List.of(command));
    line.set(0, program.toString());
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> environment = builder.environment();
    environment.put("PATH", String.join(":", FOLDERS)); // some are scripts
    environment.put("LC_ALL", "C");
    Process process =
        builder
            .redirectOutput(out.toFile())
            .redirectError(said.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    try {
      await(process, limits, command[0]);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw new IOException(List.of(command) + " failed: " + start(said));
    }
  }

  private static String start(Path said) throws IOException {
    try (InputStream in = Files.newInputStream(said)) {
      return new String(in.readNBytes(SAID_MAX), UTF_8).strip().replace('\n', ' ');
    }
  }

  private void await(Process process, List<Growth> limits, String name) throws IOException {
    boolean interrupted = false;
    try {
      boolean ended = false;
      while (!ended) {
        try {
          ended = process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
          if (!patient) {
            throw (IOException) new InterruptedIOException("waiting for " + name).initCause(e);
          }
        }
        if (!ended) {
          requireTime(name);
        }
        for (Growth limit : limits) {
          requireWithin(limit, name);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void requireWithin(Growth limit, String name) throws IOException {
    if (Files.exists(limit.file()) && Files.size(limit.file()) > limit.bytesMax()) {
      throw new IOException(
          name + " has written more than " + limit.bytesMax() + " bytes, which is too much");
    }
  }
}
