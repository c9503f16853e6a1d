// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import io.rdio.bench.twolevel.ControlGroup;
import java.util.List;
import java.util.Map;

/** Figures of the BNEX paper that are of KTracer alone. */
final class KtracerFigures {
  private static final String SCANS = "tpch-scans";
  private static final String RANDOM = "ycsb-c-uniform";

  private static final String CPU = "CPU of KTracer's threads for each evicted page";
  private static final String LOOKUPS = "FIEMAPs for 1000 evicted pages";
  private static final String RUNS = "runs of blocks told for 1000 evicted pages";
  private static final String AS_IT_IS = "as it is";
  private static final String WITHOUT_EXTENT_CACHE = "without Extent Cache";
  private static final String WITHOUT_BATCHING = "without batching";
  private static final double THOUSAND = 1e3;

  private static final Part KTRACER =
      CommandPart.json(
              "ktracer",
              "ktracer --csv --rate 128m --workload " + SCANS + "," + RANDOM,
              "",
              new Bounds(340, 0),
              (json, printed) -> costs(printed))
          .thatPrints(true)
          .unless(ControlGroup::whyNot);

  private static final String EXTENTS = "Extent Cache, in extents";
  private static final String HITS = "hit ratio of the Extent Cache";
  private static final String CPU_BY_SIZE = "CPU of KTracer's threads by the Extent Cache's size";
  private static final String MEMORY = "memory of KTracer by the Extent Cache's size";
  private static final String HEAP = "heap, ";
  private static final String MAPS = "BPF maps, ";
  private static final double KIB = 1 << 10;

  private static final String NOTHING = "0";

  /** More than all extents that there are, with what files and windows count. */
  private static final String ALL = "32768";

  private static final Part EXTENT_CACHE =
      CommandPart.json(
              "extent-cache",
              "extent-cache --csv --rate 128m --extents " + NOTHING + ",4096,16384," + ALL,
              "",
              new Bounds(300, 0),
              (json, printed) -> extentCache(printed))
          .thatPrints(true)
          .unless(ControlGroup::whyNot);

  private KtracerFigures() {}

  static List<Figure> all() {
    return List.of(withAndWithout(), bySize());
  }

  private static Figure withAndWithout() {
    return Figure.of(
            Paper.BNEX,
            "ktracer",
            "KTracer's CPU with and without Extent Cache and batching",
            BnexFigures.published())
        .shows(KTRACER, CPU, LOOKUPS, RUNS)
        .expects(
            Check.that(
                "without Extent Cache the file system is asked for most pages read at random",
                Check.atLeast(Check.at(LOOKUPS, WITHOUT_EXTENT_CACHE, RANDOM), THOUSAND / 2)))
        .expects(
            Check.that(
                "and with it for hardly any",
                Check.atMost(Check.at(LOOKUPS, AS_IT_IS, RANDOM), THOUSAND / 100)))
        .expects(
            Check.that(
                "the Extent Cache saves CPU, pages read at random",
                Check.atLeast(
                    Check.at(CPU, WITHOUT_EXTENT_CACHE, RANDOM),
                    1,
                    Check.at(CPU, AS_IT_IS, RANDOM))))
        .expects(
            Check.that(
                "batching has fewer runs told, pages read at random",
                Check.atLeast(
                    Check.at(RUNS, WITHOUT_BATCHING, RANDOM), 1, Check.at(RUNS, AS_IT_IS, RANDOM))))
        .expects(
            Check.that(
                    "batching saves CPU, pages read at random",
                    Check.atLeast(
                        Check.at(CPU, WITHOUT_BATCHING, RANDOM),
                        1,
                        Check.at(CPU, AS_IT_IS, RANDOM)))
                .unlikelyHere(
                    "what batching saves is messages, whose threads are in no figure; what it costs"
                        + " is"))
        .differs(
            "User and system time of KTracer's two threads; what the evicting task pays in the"
                + " kernel is in docs/near-exclusive.md, \"What KTracer costs\", and what gRPC's"
                + " threads take in no figure")
        .build();
  }

  private static Figure bySize() {
    return Figure.of(
            Paper.BNEX,
            "extent-cache",
            "KTracer's memory, hits and CPU by the Extent Cache's size",
            BnexFigures.published())
        .shows(EXTENT_CACHE, MEMORY, HITS, CPU_BY_SIZE)
        .expects(
            Check.that(
                "a cache with room for all extents has most of those asked for",
                Check.atLeast(Check.at(HITS, RANDOM, ALL), 0.9)))
        .expects(
            Check.that("one of nothing has none", Check.atMost(Check.at(HITS, RANDOM, NOTHING), 0)))
        .expects(
            Check.that(
                "what is cached takes memory",
                Check.atLeast(
                    Check.at(MEMORY, HEAP + RANDOM, ALL),
                    1,
                    Check.at(MEMORY, HEAP + RANDOM, NOTHING))))
        .expects(
            Check.that(
                "and saves CPU",
                Check.atLeast(
                    Check.at(CPU_BY_SIZE, RANDOM, NOTHING), 1, Check.at(CPU_BY_SIZE, RANDOM, ALL))))
        .differs(
            "The Extent Cache is on the agent's heap, where it is bounded by 24 bytes for each"
                + " extent; a file, and each 16 MiB of it, count as 16 more. Heap is what"
                + " ending KTracer gave back, with all else that it has; its BPF maps in the"
                + " kernel do not grow with it")
        .differs(
            "Single blocks read at random from 256 files whose extents are of 8 KiB, by holes"
                + " between them: HDFS's block files have far fewer")
        .build();
  }

  private static Measured costs(List<String> printed) {
    Panel.Builder cpu = Panel.of(CPU, "workload", "ns");
    Panel.Builder lookups = Panel.of(LOOKUPS, "workload", "FIEMAPs");
    Panel.Builder runs = Panel.of(RUNS, "workload", "runs");
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      String variant = Csv.text(row, "ktracer");
      String workload = Csv.text(row, "workload");
      double thousands = Csv.number(row, "evicted_pages") / THOUSAND;
      cpu.add(variant, workload, Csv.number(row, "cpu_ns_per_page"));
      lookups.add(variant, workload, Csv.number(row, "fiemaps") / thousands);
      runs.add(variant, workload, Csv.number(row, "runs") / thousands);
    }
    return new Measured(List.of(cpu.build(), lookups.build(), runs.build()));
  }

  private static Measured extentCache(List<String> printed) {
    Panel.Builder memory = Panel.of(MEMORY, EXTENTS, "KiB");
    Panel.Builder hits = Panel.of(HITS, EXTENTS, "hit ratio");
    Panel.Builder cpu = Panel.of(CPU_BY_SIZE, EXTENTS, "ns for each evicted page");
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      String workload = Csv.text(row, "workload");
      String size = Csv.text(row, "extents");
      memory.add(HEAP + workload, size, Csv.number(row, "heap_bytes") / KIB);
      memory.add(MAPS + workload, size, Csv.number(row, "bpf_map_bytes") / KIB);
      hits.add(workload, size, Csv.number(row, "hit_ratio"));
      cpu.add(workload, size, Csv.number(row, "cpu_ns_per_page"));
    }
    return new Measured(List.of(memory.build(), hits.build(), cpu.build()));
  }
}
