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
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

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
  private static final String WANTED_BY_OTHERS =
      "what one node reads is let go of, though another one may want it next";
  private static final String WAITED =
      "Throughput is of the time that a node waited for bytes, from whichever cache or the disk"
          + " that is there, of several nodes the sum: the nodes read no faster than they are told,"
          + " and what is read ahead in their pauses is not waited for";
  private static final double PERCENT = 100;
  private static final double MEGABYTE = 1e6;

  private static final Part SIMULATED =
      CommandPart.printing(
          "two-level-simulated",
          "simulate --two-level --csv --size 25%,50%,75%,100%",
          "simulate --two-level --csv --size 25%,100% --policy Incl,DEMOTE,BNEX",
          new Bounds(300, 75),
          (json, printed) -> simulated(printed, ""));

  /** Numbers of compute nodes beside one. */
  private static final Map<Integer, Part> SEVERAL = new TreeMap<>();

  static {
    for (int nodes : List.of(2, 4)) {
      SEVERAL.put(nodes, several(nodes));
    }
  }

  private static final String REAL_CACHES = "real page caches, ";
  private static final Part REAL = real("two-level-real", "ext4", 50);
  private static final Part REAL_XFS = real("two-level-real-xfs", "xfs", 0);

  /** The same numbers of them as simulated, on real page caches. */
  private static final Map<Integer, Part> REAL_NODES = new TreeMap<>();

  static {
    for (int nodes : SEVERAL.keySet()) {
      REAL_NODES.put(nodes, realNodes(nodes));
    }
  }

  private static final String MIB_PER_SECOND = "what clients read";

  private static final String PREFETCHED_IN_VAIN =
      "what was evicted is read again from the disk that readers wait for, and of a scan that goes"
          + " round and round a cache that is too small for it evicts most before it is wanted";

  private static final Part BELOW_HDFS =
      CommandPart.json(
              "near-exclusive",
              "near-exclusive --csv --data 128m --workload scans --size 25%,50%,75%,100% --pause 4",
              "",
              new Bounds(660, 0),
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
            new Bounds(850, quickSeconds),
            (json, printed) -> onPageCaches(printed, REAL_CACHES))
        .thatPrints(true)
        .unless(ControlGroup::whyNot);
  }

  /**
   * All nodes together read as much a second as one does by itself: there is one machine. So each
   * takes as many times as long as there are, and has half the data of one by itself: its page
   * cache lasts no shorter than that one's.
   */
  private static Part realNodes(int nodes) {
    return CommandPart.json(
            "two-level-real-" + nodes + "-nodes",
            "two-level --clients "
                + nodes
                + " --csv --policy Incl,BNEX --data 64m --rate "
                + 64 / nodes
                + "m --workload tpch-scans,ycsb-c-uniform --size 25%,100%",
            "",
            new Bounds(60 + 180 * nodes, 0),
            (json, printed) -> onPageCaches(printed, REAL_CACHES + ofSeveral(nodes)))
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
        new Bounds(80 * nodes, 0),
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
        realNodes(),
        belowHdfs(),
        traffic());
  }

  /** Of a figure of which there is no number. */
  static Published published() {
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
            .differs("Time costs nothing here; it does on real page caches: 4-real-nodes");
    SEVERAL.forEach(
        (nodes, part) -> {
          String prefix = ofSeveral(nodes);
          for (String workload : WORKLOADS) {
            figure.shows(part, prefix + hits(workload), prefix + sent(workload));
            figure.expects(sendsHalf(prefix, workload));
            for (String size : List.of(SMALL, WHOLE)) {
              figure.expects(asDemote(prefix, workload, size, 0.1));
              figure.expects(beatsInclusive(prefix, workload, size).unlikelyHere(WANTED_BY_OTHERS));
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
    String panel = REAL_CACHES + hits(SCANS);
    return Figure.of(
            Paper.BNEX, number, "hit ratio by the storage cache's size, " + where, published())
        .shows(part, panel, REAL_CACHES + hits(RANDOM))
        .shows(part, REAL_CACHES + readBy(SCANS), REAL_CACHES + readBy(RANDOM))
        .expects(
            Check.that(
                "BNEX has more hits than an inclusive cache, scans at 100%",
                Check.atLeast(Check.at(panel, BNEX, WHOLE), 1, Check.at(panel, INCLUSIVE, WHOLE))))
        .differs("Caches of some megabytes, read anew in seconds; one compute node")
        .differs(WAITED)
        .build();
  }

  private static Figure realNodes() {
    Figure.Builder figure =
        Figure.of(
                Paper.BNEX,
                "4-real-nodes",
                "hit ratio with two and four compute nodes, on real page caches, ext4",
                published())
            .differs(
                "Each node has a device of its own over the one namespace, a page cache and a"
                    + " KTracer on this machine; all read the same data, each in its own order,"
                    + " together as fast as one by itself. The storage cache is as large as for"
                    + " one; half the data of 4-real")
            .differs(WAITED);
    REAL_NODES.forEach(
        (nodes, part) -> {
          String prefix = REAL_CACHES + ofSeveral(nodes);
          for (String workload : List.of(SCANS, RANDOM)) {
            figure.shows(part, prefix + hits(workload), prefix + readBy(workload));
            figure.expects(hitsMoreWhole(prefix, workload));
            figure.expects(beatsInclusive(prefix, workload, WHOLE).unlikelyHere(WANTED_BY_OTHERS));
          }
        });
    return figure.build();
  }

  private static Check hitsMoreWhole(String prefix, String workload) {
    String hits = prefix + hits(workload);
    return Check.that(
        prefix + "BNEX has more hits at 100% than at 25%, " + workload,
        Check.atLeast(Check.at(hits, BNEX, WHOLE), 1, Check.at(hits, BNEX, SMALL)));
  }

  private static Figure belowHdfs() {
    Figure.Builder figure =
        Figure.of(Paper.BNEX, "5", "throughput by the storage cache's size", published())
            .shows(BELOW_HDFS, MIB_PER_SECOND)
            .expects(readsMore(WHOLE))
            .differs(
                "Scans below HDFS, on a disk whose rate is bounded, with pauses between passes");
    for (String share : List.of(SMALL, "50%", "75%")) {
      figure.expects(readsMore(share).unlikelyHere(PREFETCHED_IN_VAIN));
    }
    return figure.build();
  }

  private static Check readsMore(String share) {
    return Check.that(
        "clients read more with BNEX than without a storage cache, at " + share,
        Check.atLeast(
            Check.at(MIB_PER_SECOND, BNEX, share), 1, Check.at(MIB_PER_SECOND, "Vanilla", share)));
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

  private static String readBy(String workload) {
    return "what compute nodes got in a second of waiting, " + workload;
  }

  /**
   * @param prefix of the panels' titles
   */
  private static Measured simulated(List<String> printed, String prefix) {
    List<Panel> panels = hitRatios(printed, prefix);
    panels.addAll(
        byWorkload(
            printed,
            workload -> Panel.of(prefix + sent(workload), FRACTION, "MB"),
            row -> Csv.number(row, "network_bytes") / MEGABYTE));
    return new Measured(panels);
  }

  /**
   * @param prefix of the panels' titles
   */
  private static Measured onPageCaches(List<String> printed, String prefix) {
    List<Panel> panels = hitRatios(printed, prefix);
    panels.addAll(
        byWorkload(
            printed,
            workload -> Panel.of(prefix + readBy(workload), FRACTION, "MiB/s"),
            row -> Csv.number(row, "mib_per_s")));
    return new Measured(panels);
  }

  private static List<Panel> hitRatios(List<String> printed, String prefix) {
    return byWorkload(
        printed,
        workload -> Panel.of(prefix + hits(workload), FRACTION, "hit ratio"),
        row -> Csv.number(row, "level2_hit_ratio"));
  }

  /** A panel for each workload, with a line for each policy. */
  private static List<Panel> byWorkload(
      List<String> printed,
      Function<String, Panel.Builder> empty,
      ToDoubleFunction<Map<String, String>> value) {
    Map<String, Panel.Builder> panels = new LinkedHashMap<>();
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      panels
          .computeIfAbsent(Csv.text(row, "workload"), empty)
          .add(Csv.text(row, "policy"), size(row), value.applyAsDouble(row));
    }
    return new ArrayList<>(panels.values().stream().map(Panel.Builder::build).toList());
  }

  private static Panel throughput(List<String> printed) {
    Panel.Builder panel = Panel.of(MIB_PER_SECOND, FRACTION, "MiB/s");
    for (Map<String, String> row : Csv.rows(printed, "workload")) {
      panel.add(Csv.text(row, "policy"), size(row), Csv.number(row, "mib_per_s"));
    }
    return panel.build();
  }

  private static String size(Map<String, String> row) {
    double fraction = Csv.number(row, "storage_cache_fraction");
    return String.format(Locale.ROOT, "%.0f%%", fraction * PERCENT);
  }
}
