// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.CommandPart.Bounds;
import io.rdio.bench.twolevel.ControlGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Figures of the BNEX paper: simulated, and on real page caches. */
final class BnexFigures {
  private static final String SOURCE =
      "docs/near-exclusive.md, \"Against the paper\", which cites it; figures by their numbers in"
          + " the project's issue";

  private static final String SCANS = "tpch-scans";
  private static final String RANDOM = "ycsb-c-uniform";
  private static final List<String> WORKLOADS = List.of(SCANS, RANDOM, "ycsb-c-zipf0.99");
  private static final String INCLUSIVE = "Incl";
  private static final String DEMOTE = "DEMOTE";
  private static final String BNEX = "BNEX";
  private static final String FRACTION = "storage cache, of what the page cache does not hold";
  private static final String SMALL = "25%";
  private static final String WHOLE = "100%";
  private static final double PERCENT = 100;
  private static final double MEGABYTE = 1e6;

  private static final Part SIMULATED =
      CommandPart.printing(
          "two-level-simulated",
          "simulate --two-level --csv --size 25%,50%,75%,100%",
          "simulate --two-level --csv --size 25%,100% --policy Incl,DEMOTE,BNEX",
          new Bounds(1200, 75),
          (json, printed) -> simulated(printed, ""));

  /** Numbers of compute nodes beside one. */
  private static final Map<Integer, Part> SEVERAL = new TreeMap<>();

  static {
    for (int nodes : List.of(2, 4)) {
      SEVERAL.put(nodes, several(nodes));
    }
  }

  private static final Part REAL = real("two-level-real", "ext4", 50);
  private static final Part REAL_XFS = real("two-level-real-xfs", "xfs", 0);

  private static final String TRACER_CPU = "CPU of KTracer's threads for each evicted page";
  private static final String TRACER_LOOKUPS = "FIEMAPs for 1000 evicted pages";
  private static final String TRACER_RUNS = "runs of blocks told for 1000 evicted pages";
  private static final String AS_IT_IS = "as it is";
  private static final String WITHOUT_EXTENT_CACHE = "without Extent Cache";
  private static final String WITHOUT_BATCHING = "without batching";
  private static final double THOUSAND = 1e3;

  private static final Part KTRACER =
      CommandPart.json(
              "ktracer",
              "ktracer --csv --workload " + SCANS + "," + RANDOM,
              "",
              new Bounds(900, 0),
              (json, printed) -> ktracer(printed))
          .thatPrints(true)
          .unless(ControlGroup::whyNot);

  private static final String MIB_PER_SECOND = "what clients read";

  private static final Part BELOW_HDFS =
      CommandPart.json(
              "near-exclusive",
              "near-exclusive --csv --data 256m --workload scans --size 25%,50%,75%,100% --pause 8",
              "",
              new Bounds(2400, 0),
              (json, printed) -> new Measured(List.of(throughput(printed))))
          .thatPrints(true)
          .unless(ControlGroup::whyNot);

  private BnexFigures() {}

  /**
   * @param quickSeconds 0 for no part in a quick run
   */
  private static Part real(String name, String fileSystem, int quickSeconds) {
    String line = "two-level --csv --policy Incl,BNEX --fs " + fileSystem;
    return CommandPart.json(
            name,
            line
                + " --data 128m --rate 64m --workload tpch-scans,ycsb-c-uniform"
                + " --size 25%,50%,75%,100%",
            quickSeconds == 0
                ? ""
                : line + " --data 64m --rate 64m --workload tpch-scans --size 100%",
            new Bounds(2400, quickSeconds),
            (json, printed) -> hitRatios(printed, "real page caches, "))
        .thatPrints(true)
        .unless(ControlGroup::whyNot);
  }

  /** Takes as many times as long as for one node as there are. */
  private static Part several(int nodes) {
    return CommandPart.printing(
        "two-level-" + nodes + "-nodes",
        "simulate --two-level --clients "
            + nodes
            + " --csv --size 25%,100% --policy Incl,DEMOTE,BNEX",
        "",
        new Bounds(300 * nodes, 0),
        (json, printed) -> simulated(printed, ofSeveral(nodes)));
  }

  /** What titles of panels begin with. */
  private static String ofSeveral(int nodes) {
    return nodes + " compute nodes, ";
  }

  static List<Figure> all() {
    return List.of(
        hitRatio(),
        severalNodes(),
        onPageCaches("4-real", "on real page caches, ext4", REAL),
        onPageCaches("4-real-xfs", "on real page caches, xfs", REAL_XFS),
        belowHdfs(),
        traffic(),
        tracerCosts());
  }

  private static Published published() {
    return Published.plotOnly(SOURCE);
  }

  private static String hits(String workload) {
    return "hit ratio of the storage cache, " + workload;
  }

  private static Figure hitRatio() {
    Published published =
        new Published(
            SOURCE,
            List.of(
                Panel.of("hit ratio of the storage cache, TPC-H", FRACTION, "hit ratio")
                    .add(INCLUSIVE, SMALL, 0.03)
                    .add(BNEX, SMALL, 0.24)
                    .build()),
            List.of("BNEX has eight times the hits of an inclusive cache at 25%."));
    Figure.Builder figure =
        Figure.of(Paper.BNEX, "4", "hit ratio by the storage cache's size, simulated", published)
            .shows(SIMULATED, WORKLOADS.stream().map(BnexFigures::hits).toArray(String[]::new))
            .expects(
                Check.that(
                    "BNEX has several times the hits of an inclusive cache, scans at 25%",
                    Check.atLeast(
                        Check.at(hits(SCANS), BNEX, SMALL),
                        3,
                        Check.at(hits(SCANS), INCLUSIVE, SMALL))))
            .differs(
                "The factor at 25% hangs on the few hits of the inclusive cache, and these on how"
                    + " Linux's page cache replaces");
    for (String workload : WORKLOADS) {
      for (String size : List.of(SMALL, WHOLE)) {
        figure.expects(beatsInclusive("", workload, size));
        figure.expects(asDemote("", workload, size, 0.05));
      }
    }
    return figure.build();
  }

  private static Figure severalNodes() {
    Figure.Builder figure =
        Figure.of(
                Paper.BNEX,
                "4-nodes",
                "hit ratio and traffic with two and four compute nodes, simulated",
                published())
            .differs(
                "All nodes read the same data, each in its own order; the storage cache is as large"
                    + " as for one node")
            .differs("On real page caches there is one compute node only");
    SEVERAL.forEach(
        (nodes, part) -> {
          String prefix = ofSeveral(nodes);
          for (String workload : WORKLOADS) {
            figure.shows(part, prefix + hits(workload), prefix + sent(workload));
            figure.expects(sendsHalf(prefix, workload));
            for (String size : List.of(SMALL, WHOLE)) {
              figure.expects(asDemote(prefix, workload, size, 0.1));
              figure.expects(
                  beatsInclusive(prefix, workload, size)
                      .unlikelyHere(
                          "what one node reads is let go of, though another one may want it next"));
            }
          }
        });
    return figure.build();
  }

  /**
   * @param prefix of the panels' titles, and of what is said
   */
  private static Check beatsInclusive(String prefix, String workload, String size) {
    String hits = prefix + hits(workload);
    return Check.that(
        prefix + "BNEX has more hits than an inclusive cache, " + workload + " at " + size,
        Check.atLeast(Check.at(hits, BNEX, size), 1, Check.at(hits, INCLUSIVE, size)));
  }

  private static Check asDemote(String prefix, String workload, String size, double few) {
    String hits = prefix + hits(workload);
    return Check.that(
        prefix + "BNEX has as many hits as DEMOTE, but for a few, " + workload + " at " + size,
        Check.notBelow(Check.at(hits, BNEX, size), Check.at(hits, DEMOTE, size), few));
  }

  private static Check sendsHalf(String prefix, String workload) {
    String sent = prefix + sent(workload);
    return Check.that(
        prefix + "BNEX sends little more than half of what DEMOTE does, " + workload,
        Check.atLeast(Check.at(sent, DEMOTE, WHOLE), 1.8, Check.at(sent, BNEX, WHOLE)));
  }

  private static Figure onPageCaches(String number, String where, Part part) {
    String panel = "real page caches, " + hits(SCANS);
    return Figure.of(
            Paper.BNEX, number, "hit ratio by the storage cache's size, " + where, published())
        .shows(part, panel, "real page caches, " + hits(RANDOM))
        .expects(
            Check.that(
                "BNEX has more hits than an inclusive cache, scans at 100%",
                Check.atLeast(Check.at(panel, BNEX, WHOLE), 1, Check.at(panel, INCLUSIVE, WHOLE))))
        .differs("Caches of some megabytes, read anew in seconds; one compute node")
        .build();
  }

  private static Figure belowHdfs() {
    return Figure.of(Paper.BNEX, "5", "throughput by the storage cache's size", published())
        .shows(BELOW_HDFS, MIB_PER_SECOND)
        .expects(
            Check.that(
                "clients read more with BNEX than without a storage cache, at 100%",
                Check.atLeast(
                    Check.at(MIB_PER_SECOND, BNEX, WHOLE),
                    1,
                    Check.at(MIB_PER_SECOND, "Vanilla", WHOLE))))
        .differs("Scans below HDFS, on a disk whose rate is bounded, with pauses between passes")
        .build();
  }

  private static String sent(String workload) {
    return "sent over the network, " + workload;
  }

  private static Figure traffic() {
    Figure.Builder figure =
        Figure.of(Paper.BNEX, "6", "traffic: descriptors against pages, simulated", published())
            .shows(SIMULATED, WORKLOADS.stream().map(BnexFigures::sent).toArray(String[]::new))
            .differs("Bytes of messages as they are encoded, counted by the simulator");
    for (String workload : WORKLOADS) {
      figure.expects(sendsHalf("", workload));
    }
    return figure.build();
  }

  private static Figure tracerCosts() {
    return Figure.of(
            Paper.BNEX,
            "ktracer",
            "KTracer's CPU with and without Extent Cache and batching",
            published())
        .shows(KTRACER, TRACER_CPU, TRACER_LOOKUPS, TRACER_RUNS)
        .expects(
            Check.that(
                "without Extent Cache the file system is asked for most pages read at random",
                Check.atLeast(
                    Check.at(TRACER_LOOKUPS, WITHOUT_EXTENT_CACHE, RANDOM), THOUSAND / 2)))
        .expects(
            Check.that(
                "and with it for hardly any",
                Check.atMost(Check.at(TRACER_LOOKUPS, AS_IT_IS, RANDOM), THOUSAND / 100)))
        .expects(
            Check.that(
                "the Extent Cache saves CPU, pages read at random",
                Check.atLeast(
                    Check.at(TRACER_CPU, WITHOUT_EXTENT_CACHE, RANDOM),
                    1,
                    Check.at(TRACER_CPU, AS_IT_IS, RANDOM))))
        .expects(
            Check.that(
                "batching has fewer runs told, pages read at random",
                Check.atLeast(
                    Check.at(TRACER_RUNS, WITHOUT_BATCHING, RANDOM),
                    1,
                    Check.at(TRACER_RUNS, AS_IT_IS, RANDOM))))
        .differs(
            "User and system time of KTracer's two threads; what the evicting task pays in the"
                + " kernel is in docs/near-exclusive.md, \"What KTracer costs\", and what gRPC's"
                + " threads take in no figure")
        .differs(
            "Memory by the Extent Cache's size is not measured: it is bounded by 24 bytes for each"
                + " extent")
        .build();
  }

  private static Measured ktracer(List<String> printed) {
    Panel.Builder cpu = Panel.of(TRACER_CPU, "workload", "ns");
    Panel.Builder lookups = Panel.of(TRACER_LOOKUPS, "workload", "FIEMAPs");
    Panel.Builder runs = Panel.of(TRACER_RUNS, "workload", "runs");
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      String variant = text(row, "ktracer");
      String workload = text(row, "workload");
      double thousands = number(row, "evicted_pages") / THOUSAND;
      cpu.add(variant, workload, number(row, "cpu_ns_per_page"));
      lookups.add(variant, workload, number(row, "fiemaps") / thousands);
      runs.add(variant, workload, number(row, "runs") / thousands);
    }
    return new Measured(List.of(cpu.build(), lookups.build(), runs.build()));
  }

  private static Measured simulated(List<String> printed, String prefix) {
    List<Panel> panels = new ArrayList<>(hitRatios(printed, prefix).panels());
    Map<String, Panel.Builder> sent = new LinkedHashMap<>();
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      sent.computeIfAbsent(
              text(row, "workload"), workload -> Panel.of(prefix + sent(workload), FRACTION, "MB"))
          .add(text(row, "policy"), size(row), number(row, "network_bytes") / MEGABYTE);
    }
    sent.values().forEach(panel -> panels.add(panel.build()));
    return new Measured(panels);
  }

  private static Measured hitRatios(List<String> printed, String prefix) {
    Map<String, Panel.Builder> panels = new LinkedHashMap<>();
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      panels
          .computeIfAbsent(
              text(row, "workload"),
              workload -> Panel.of(prefix + hits(workload), FRACTION, "hit ratio"))
          .add(text(row, "policy"), size(row), number(row, "level2_hit_ratio"));
    }
    return new Measured(panels.values().stream().map(Panel.Builder::build).toList());
  }

  private static Panel throughput(List<String> printed) {
    Panel.Builder panel = Panel.of(MIB_PER_SECOND, FRACTION, "MiB/s");
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      panel.add(text(row, "policy"), size(row), number(row, "mib_per_s"));
    }
    return panel.build();
  }

  private static String size(Map<String, String> row) {
    double fraction = number(row, "storage_cache_fraction");
    return String.format(Locale.ROOT, "%.0f%%", fraction * PERCENT);
  }

  private static String text(Map<String, String> row, String column) {
    return row.getOrDefault(column, "");
  }

  private static double number(Map<String, String> row, String column) {
    String text = text(row, column);
    return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
  }
}
