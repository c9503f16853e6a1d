// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.Trace;
import io.rdio.bench.simulator.TraceReader;
import io.rdio.bench.workload.Zipf;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The traces that the S3-FIFO paper's figures are simulated on: made ones, and those in folders.
 */
final class PaperTraces {
  /** A group of made traces. */
  static final String MADE = "made by Zipf's law";

  /** A group of traces that are made to hurt S3-FIFO. */
  static final String AGAINST = "made against S3-FIFO";

  /** A group. */
  static final String WEB = "cache2k, web";

  /** A group, of a cluster that the paper has, too. */
  static final String TWITTER = "Twitter";

  private static final int OBJECTS = 100_000;
  private static final int REQUESTS = 500_000;
  private static final int QUICK_REQUESTS = 250_000;
  private static final int SCAN_EVERY = 20_000;
  private static final int SCAN_LENGTH = 6_000;
  private static final long SEED = 42;

  /** Who a trace is from, by what its file's name begins with. */
  private static final Map<String, String> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("lirs-", "LIRS authors");
    GROUPS.put("c2k-", WEB);
    GROUPS.put("tw5", TWITTER);
    GROUPS.put("lcs-cloudPhysics", "CloudPhysics");
    GROUPS.put("corda", "Corda");
    GROUPS.put("addr-", "CPU addresses");
    GROUPS.put("twohit", AGAINST);
  }

  private PaperTraces() {}

  /** Takes traces. */
  @FunctionalInterface
  interface Taker {
    /** Takes the next one, which is of this group. */
    void take(String group, Trace trace) throws IOException;
  }

  /** Hands all traces on, one after the other, so that not all are in memory. */
  static void forEach(Terms terms, Taker taker) throws IOException {
    int requests = terms.quick() ? QUICK_REQUESTS : REQUESTS;
    for (double exponent : new double[] {0.7, 0.99, 1.2}) {
      terms.deadline().check();
      taker.take(MADE, zipf(exponent, requests));
    }
    taker.take(MADE, zipfWithScans(requests));
    for (Path file : files(terms.traces())) {
      terms.deadline().check();
      taker.take(group(String.valueOf(file.getFileName())), read(file));
    }
  }

  private static Trace read(Path file) throws IOException {
    try {
      return TraceReader.read(file);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage() + "; fix: take it out of --traces", e);
    }
  }

  /** Requests by Zipf's law. */
  static Trace zipf(double exponent, int requests) {
    return Trace.of("zipf" + exponent, zipfIds(exponent, requests));
  }

  private static long[] zipfIds(double exponent, int requests) {
    Zipf zipf = new Zipf(OBJECTS, exponent);
    SplittableRandom random = new SplittableRandom(SEED);
    long[] ids = new long[requests];
    for (int i = 0; i < requests; i++) {
      ids[i] = zipf.rank(random);
    }
    return ids;
  }

  /** The same with scans, now and then, of objects that are asked for once. */
  private static Trace zipfWithScans(int requests) {
    long[] zipf = zipfIds(0.9, requests);
    long[] ids = new long[requests + requests / SCAN_EVERY * SCAN_LENGTH];
    long fresh = OBJECTS;
    int at = 0;
    for (int i = 0; i < requests; i++) {
      ids[at++] = zipf[i];
      if ((i + 1) % SCAN_EVERY == 0) {
        for (int j = 0; j < SCAN_LENGTH; j++) {
          ids[at++] = fresh++;
        }
      }
    }
    return Trace.of("zipf0.9-scans", ids);
  }

  private static List<Path> files(List<Path> folders) throws IOException {
    List<Path> files = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path file : all.sorted().toList()) {
          String name = String.valueOf(file.getFileName());
          if (name.matches(".*\\.(ids|oracleGeneral)(\\.gz)?") && !names.contains(name)) {
            names.add(name);
            files.add(file);
          }
        }
      }
    }
    return files;
  }

  private static String group(String name) {
    return GROUPS.entrySet().stream()
        .filter(entry -> name.startsWith(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("others");
  }

  /** The checkout's own, and shared/cache beside the checkout; those that are there. */
  static List<Path> defaultFolders() {
    CodeSource source = PaperTraces.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return List.of();
    }
    Path classes;
    try {
      classes = Path.of(source.getLocation().toURI()).toAbsolutePath();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(source.getLocation() + " is no place of classes", e);
    }
    Path module = classes.resolve("../..").normalize();
    return Stream.of(
            module.resolve("../s3fifo-cache/src/test/resources/io/rdio/s3fifo"),
            module.resolve("../../shared/cache"))
        .map(Path::normalize)
        .filter(Files::isDirectory)
        .toList();
  }
}
