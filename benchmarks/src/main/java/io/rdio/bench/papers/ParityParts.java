// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Erasure-coded files that are written, by {@code bench write --policy}, once for each code. */
final class ParityParts {
  static final String THROUGHPUT = "write throughput of large erasure-coded files";
  static final String LATENCY = "erasure-coded objects of 16 MiB from create to close, median";
  static final String WITHOUT = "time that a group is without its parity, mean";
  static final String STOCK = "stock HDFS";
  static final String IMMEDIATE = "RDIO, immediate parity";
  static final String DEFERRED = "RDIO, deferred parity";

  /** Of three and of five DataNodes. */
  static final Part XOR_2_1 = part("parity-xor-2-1", "XOR-2-1-1024k", 540);

  static final Part RS_3_2 = part("parity-rs-3-2", "RS-3-2-1024k", 620);

  /** Of nine. */
  static final Part RS_6_3 =
      part("parity-rs-6-3", "RS-6-3-1024k", 720).unless(ParityParts::tooLittleMemory);

  /** Nine volumes in memory, and the heaps of eight DataNodes more than every benchmark has. */
  private static final long RS_6_3_BYTES = 10L << 30;

  /** By the names that JSON has. */
  private static final Map<String, String> WAYS =
      new TreeMap<>(Map.of("stock", STOCK, "immediate", IMMEDIATE, "deferred", DEFERRED));

  private static final double MICROS_PER_MILLI = 1e3;
  private static final double MILLIS = 1e3;

  private ParityParts() {}

  /** How the paper names a code, and a panel what is of it. */
  static String code(int data, int parity) {
    return String.format(Locale.ROOT, "(%d, %d)", data, parity);
  }

  /**
   * Blocks of 16 MiB, so that the pools are small and a large file of half a gigabyte has several
   * groups by each code.
   */
  private static CommandPart part(String name, String policy, int seconds) {
    String line =
        "write --policy "
            + policy
            + " --size 512m --arrays 1m --sizes 16m --block-size 16m --rounds 3 --seconds 1.5"
            + " --warm-up 64 --warm-up-max 10";
    return CommandPart.json(
        name, line, "", new Bounds(seconds, 0), (json, printed) -> measured(json));
  }

  private static String tooLittleMemory() {
    try {
      return Backing.preferredFor(RS_6_3_BYTES) == Backing.TMPFS
          ? ""
          : "nine DataNodes and their volumes take "
              + (RS_6_3_BYTES >> 30)
              + " GiB of free memory beside what every cluster takes; fix: a machine that has it";
    } catch (IOException e) {
      return "the memory that is free is not known: " + e.getMessage();
    }
  }

  private static Measured measured(Map<?, ?> json) {
    Panel.Builder throughput = Panel.of(THROUGHPUT, "(k, r)", "MB/s");
    Panel.Builder latency = Panel.of(LATENCY, "(k, r)", "ms");
    Panel.Builder without = Panel.of(WITHOUT, "(k, r)", "ms");
    for (Map<?, ?> load : Json.objects(json, "loads")) {
      String code =
          code((int) Json.number(load, "data_units"), (int) Json.number(load, "parity_units"));
      boolean isStream = Json.text(load, "load").equals("stream");
      WAYS.forEach(
          (way, line) -> {
            if (isStream) {
              throughput.add(line, code, Json.median(load, way, "mbps"));
              without.add(line, code, millisWithout(load, way));
            } else {
              latency.add(line, code, Json.median(load, way, "p50_us") / MICROS_PER_MILLI);
            }
          });
    }
    return new Measured(List.of(throughput.build(), latency.build(), without.build()));
  }

  /** Of all rounds; NaN where no group was ever without. */
  private static double millisWithout(Map<?, ?> load, String way) {
    double groups = 0;
    double seconds = 0;
    for (Map<?, ?> round : Json.objects(Json.object(load, "parity_of_rounds"), way)) {
      groups += Json.number(round, "groups_deferred");
      seconds += Json.number(round, "group_s_without");
    }
    return MILLIS * seconds / groups;
  }
}
