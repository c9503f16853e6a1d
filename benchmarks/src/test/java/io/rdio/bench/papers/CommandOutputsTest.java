// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;

/** What commands leave, and what figures make of it. */
class CommandOutputsTest {
  private static Map<?, ?> json(String text) throws IOException {
    return new JsonSerialization<>(Map.class, false, false).fromJson(text.replace('\'', '"'));
  }

  private static Measured of(String part, Map<?, ?> json, List<String> printed) {
    return Catalogue.all().stream()
        .flatMap(figure -> figure.parts().stream())
        .filter(one -> one.name().equals(part))
        .map(one -> ((CommandPart) one).output().of(json, printed))
        .findFirst()
        .orElseThrow();
  }

  private static double value(Measured measured, String panel, String line, String label) {
    return measured.panel(panel).orElseThrow().at(line, label);
  }

  private static String point(boolean cached, double stock, double rdio) {
    return String.format(
        Locale.ROOT,
        "{'file_bytes':4096,'maps_cached':%s,'ways':{'stock':{'mbps':{'median':%f}},"
            + "'rdio':{'mbps':{'median':%f},'client_cpu_s_per_gb':{'median':1.5},"
            + "'datanode_cpu_s_per_gb':{'median':0.25}}}}",
        cached,
        stock,
        rdio);
  }

  @Test
  void objectsHaveLinesWithMapsCachedAndWithout() throws IOException {
    Map<?, ?> json = json("{'points':[" + point(false, 10, 5) + "," + point(true, 99, 20) + "]}");
    Measured measured = of("objects", json, List.of());
    assertThat(value(measured, "read throughput", "RDIO, map not cached", "4 KiB")).isEqualTo(5);
    assertThat(value(measured, "read throughput", "RDIO, map cached", "4 KiB")).isEqualTo(20);
    assertThat(value(measured, "read throughput", "stock HDFS", "4 KiB")).isEqualTo(10);
    assertThat(value(measured, "CPU of client and DataNode", "RDIO, map cached", "4 KiB"))
        .isEqualTo(1.75);
    assertThat(value(measured, "read throughput", "raw device", "4 KiB")).isNaN();
  }

  @Test
  void objectsHaveBarsOfPhasesForEachLine() throws IOException {
    Map<?, ?> json =
        json(
            "{'points':[{'file_bytes':4096,'maps_cached':false,'ways':{"
                + "'stock':{'phases_us':{'open':{'median':80}}},"
                + "'rdio':{'phases_us':{'map':{'median':150.5},'open':{'median':90}}}}},"
                + "{'file_bytes':4096,'maps_cached':true,'ways':{"
                + "'rdio':{'phases_us':{'open':{'median':70}}}}}]}");
    Measured measured = of("objects", json, List.of());
    Panel fresh = measured.panel(ObjectParts.phases(ObjectParts.FRESH)).orElseThrow();
    assertThat(fresh.stacked()).isTrue();
    assertThat(fresh.lines().keySet()).containsExactly("open", "map");
    assertThat(fresh.at("map", "4 KiB")).isEqualTo(150.5);
    String cached = ObjectParts.phases(ObjectParts.CACHED);
    assertThat(value(measured, cached, "open", "4 KiB")).isEqualTo(70);
    assertThat(value(measured, cached, "map", "4 KiB")).isNaN();
    assertThat(value(measured, ObjectParts.phases(ObjectParts.STOCK), "open", "4 KiB"))
        .isEqualTo(80);
  }

  @Test
  void openingHasReadsAndBarsByStep() throws IOException {
    Map<?, ?> json =
        json(
            "{'opening':{'cold':{'path walk':{'count':5,'reads_mean':10.0,'mean_us':34.0},"
                + "'all of it':{'count':5,'reads_mean':18.5,'mean_us':69.0}},"
                + "'warm':{'path walk':{'count':5,'reads_mean':0.0,'mean_us':9.9},"
                + "'all of it':{'count':5,'reads_mean':6.1,'mean_us':76.0}},"
                + "'again':{'all of it':{'count':5,'reads_mean':5.0,'mean_us':29.0}}}}");
    Measured measured = of("opening-by-steps", json, List.of());
    assertThat(value(measured, "time by step, mean", "path walk", "nothing")).isEqualTo(34);
    assertThat(measured.panel("time by step, mean").orElseThrow().lines())
        .containsOnlyKeys("path walk");
    Figure figure = Catalogue.select(List.of("ext4of-open-steps")).get(0);
    assertThat(figure.verdict(Map.of("opening-by-steps", measured)).shape())
        .isEqualTo("as in the paper");
  }

  @Test
  void readsThatFailHaveNoThroughput() throws IOException {
    Map<?, ?> json =
        json("{'points':[{'dead':3,'ways':{'stock':{'mbps':0.0},'rdio 0 %':{'mbps':400}}}]}");
    Measured measured = of("resilience", json, List.of());
    String panel = "throughput of erasure-coded files";
    assertThat(value(measured, panel, "stock", "3")).isZero();
    assertThat(value(measured, panel, "rdio 0 %", "3")).isEqualTo(400);
  }

  @Test
  void recordsHaveAPanelForEachWorkload() throws IOException {
    Map<?, ?> json =
        json(
            "{'points':[{'workload':'C','threads':16,'ways':{"
                + "'stock':{'reads_per_s':{'median':100},'p50_us':{'median':7}},"
                + "'local':{'reads_per_s':{'median':200},'p50_us':{'median':5}},"
                + "'raw':{'reads_per_s':{'median':300},'p50_us':{'median':3}}}},"
                + "{'workload':'LOAD','threads':16,'ways':{'stock':{'reads_per_s':{'median':9},"
                + "'p50_us':{'median':1},'client_cpu_s_per_gb':{'median':'Infinity'}},"
                + "'local':{'reads_per_s':{'median':90}}}}]}");
    Measured measured = of("records", json, List.of());
    assertThat(value(measured, "operations, workload C", "stock HDFS", "16")).isEqualTo(100);
    assertThat(value(measured, "operations, workload C", RdioParts.OPTIMAL, "16")).isEqualTo(200);
    assertThat(value(measured, "operations, workload LOAD", RdioParts.OPTIMAL, "16")).isEqualTo(90);
    assertThat(value(measured, "latency, median, workload C", RdioParts.RAW, "16")).isEqualTo(3);
    assertThat(value(measured, "operations, workload LOAD", "stock HDFS", "16")).isEqualTo(9);
    assertThat(measured.panel(RdioParts.WRITTEN).orElseThrow().lines()).isEmpty();
  }

  @Test
  void recordsThatTheAgentWritesSayHowManyWentByRdio() throws IOException {
    Map<?, ?> json =
        json(
            "{'points':[{'workload':'A','threads':16,'agent_share_written':0.75,'ways':{"
                + "'stock':{'reads_per_s':{'median':100}},"
                + "'agent':{'reads_per_s':{'median':60}}}}]}");
    Measured measured = of("records-written", json, List.of());
    assertThat(value(measured, "operations, workload A", RdioParts.BY_AGENT, "16")).isEqualTo(60);
    assertThat(value(measured, RdioParts.WRITTEN, "workload A", "16")).isEqualTo(0.75);
    Figure figure = Catalogue.select(List.of("rdio-4-writes")).get(0);
    Verdict verdict = figure.verdict(Map.of("records-written", measured));
    assertThat(verdict.isBad()).as("it is known to be slower").isFalse();
    assertThat(verdict.why()).contains("; known: when a close returns");
  }

  @Test
  void writesHaveALineForEachWayAndNumberOfReplicas() throws IOException {
    Map<?, ?> json =
        json(
            "{'loads':[{'load':'stream','file_bytes':9},{'load':'objects','replication':3,"
                + "'file_bytes':1048576,'ways':{'stock':{'mbps':{'median':80}},"
                + "'agent':{'mbps':{'median':90},'p50_us':{'median':2500},"
                + "'client_cpu_s_per_gb':{'median':0.5},'agent_cpu_s_per_gb':{'median':0.25},"
                + "'datanode_cpu_s_per_gb':{'median':1.5},"
                + "'loopback_bytes_per_byte':{'median':0.0625},"
                + "'phases_us':{'commit':{'median':700}}}}}]}");
    Measured measured = of("writes", json, List.of());
    assertThat(value(measured, "write throughput", "stock HDFS, × 3", "1 MiB")).isEqualTo(80);
    String agent = "RDIO by the agent, × 3";
    assertThat(value(measured, "write latency, median", agent, "1 MiB")).isEqualTo(2.5);
    assertThat(value(measured, RdioParts.WRITE_CPU, agent, "1 MiB")).isEqualTo(2.25);
    assertThat(value(measured, RdioParts.WRITE_DATANODE_CPU, agent, "1 MiB")).isEqualTo(1.5);
    assertThat(value(measured, RdioParts.WRITE_TRAFFIC, agent, "1 MiB")).isEqualTo(0.0625);
    assertThat(value(measured, RdioParts.WRITE_CPU, "stock HDFS, × 3", "1 MiB")).isNaN();
    String phases = "write latency by phase, ";
    assertThat(RdioParts.writePhases()).hasSize(4).contains(phases + agent);
    assertThat(value(measured, phases + agent, "commit", "1 MiB")).isEqualTo(700);
    assertThat(measured.panel(phases + "stock HDFS, × 1")).isEmpty();
  }

  /** Five groups were without their parity for 1.25 s, all together. */
  private static String stream(int data, int parity, double immediate, double deferred) {
    return String.format(
        Locale.ROOT,
        "{'load':'stream','data_units':%d,'parity_units':%d,"
            + "'parity_of_rounds':{'stock':[{'groups_deferred':0,'group_s_without':0.0}],"
            + "'deferred':[{'groups_deferred':2,'group_s_without':0.5},"
            + "{'groups_deferred':3,'group_s_without':0.75}]},"
            + "'ways':{'stock':{'mbps':{'median':70}},'immediate':{'mbps':{'median':%f}},"
            + "'deferred':{'mbps':{'median':%f}}}}",
        data,
        parity,
        immediate,
        deferred);
  }

  @Test
  void codedFilesHaveAPlaceByKAndR() throws IOException {
    Map<?, ?> json =
        json(
            "{'loads':["
                + stream(3, 2, 100, 150)
                + ",{'load':'objects','data_units':3,'parity_units':2,"
                + "'ways':{'deferred':{'p50_us':{'median':9000}}}}]}");
    Measured measured = of("parity-rs-3-2", json, List.of());
    assertThat(value(measured, ParityParts.THROUGHPUT, ParityParts.STOCK, "(3, 2)")).isEqualTo(70);
    assertThat(value(measured, ParityParts.LATENCY, ParityParts.DEFERRED, "(3, 2)")).isEqualTo(9);
    assertThat(value(measured, ParityParts.WITHOUT, ParityParts.DEFERRED, "(3, 2)")).isEqualTo(250);
    assertThat(value(measured, ParityParts.WITHOUT, ParityParts.STOCK, "(3, 2)")).isNaN();
  }

  private static Verdict parity(double immediate, double deferred) throws IOException {
    Map<?, ?> xor = json("{'loads':[" + stream(2, 1, immediate, deferred) + "]}");
    Map<?, ?> rs = json("{'loads':[" + stream(3, 2, immediate, deferred) + "]}");
    Map<String, Measured> results = new HashMap<>();
    results.put("parity-xor-2-1", of("parity-xor-2-1", xor, List.of()));
    results.put("parity-rs-3-2", of("parity-rs-3-2", rs, List.of()));
    return Catalogue.select(List.of("rdio-5a")).get(0).verdict(results);
  }

  @Test
  void codesOfSeveralCommandsAreInOnePanel() throws IOException {
    Measured ours = Objects.requireNonNull(parity(100, 150).ours());
    assertThat(ours.panels().stream().map(Panel::title)).doesNotHaveDuplicates();
    assertThat(ours.panel(ParityParts.THROUGHPUT).orElseThrow().labels())
        .containsExactly("(2, 1)", "(3, 2)");
  }

  @Test
  void deferredParityMayBeATwentiethSlowerAndNoMore() throws IOException {
    assertThat(parity(100, 96).shape()).isEqualTo("as in the paper");
    Verdict slower = parity(100, 94);
    assertThat(slower.isBad()).isTrue();
    assertThat(slower.why()).contains("RDIO, deferred parity at (2, 1)", "at (3, 2)");
  }

  @Test
  void twoLevelsAreReadFromCommaSeparatedValues() {
    List<String> printed =
        List.of(
            "Picked up JAVA_TOOL_OPTIONS: -Xmx1g",
            "workload,policy,storage_cache_fraction,level2_hit_ratio,network_bytes,prefetch_waste",
            "tpch-scans,Incl,0.25,0.0770,200000000,0.0000",
            "tpch-scans,BNEX,0.25,0.2880,201000000,0.1000");
    Measured measured = of("two-level-simulated", Map.of(), printed);
    assertThat(value(measured, "hit ratio of the storage cache, tpch-scans", "BNEX", "25%"))
        .isEqualTo(0.288);
    assertThat(value(measured, "sent over the network, tpch-scans", "Incl", "25%")).isEqualTo(200);
  }

  /** Rows of all workloads, by which BNEX has this hit ratio and DEMOTE 0.5. */
  private static List<String> ofNodes(double bnex) {
    List<String> printed = new ArrayList<>();
    printed.add(
        "workload,policy,storage_cache_fraction,level2_hit_ratio,network_bytes,prefetch_waste");
    for (String workload : List.of("tpch-scans", "ycsb-c-uniform", "ycsb-c-zipf0.99")) {
      for (String size : List.of("0.25", "1.00")) {
        printed.add(workload + ",Incl," + size + ",0.6000,100000000,0.0000");
        printed.add(workload + ",DEMOTE," + size + ",0.5000,200000000,0.0000");
        printed.add(workload + ",BNEX," + size + "," + bnex + ",101000000,0.0000");
      }
    }
    return printed;
  }

  private static Verdict severalNodes(double bnex) {
    Map<String, Measured> results = new HashMap<>();
    for (String part : List.of("two-level-2-nodes", "two-level-4-nodes")) {
      results.put(part, of(part, Map.of(), ofNodes(bnex)));
    }
    return Catalogue.select(List.of("bnex-4-nodes")).get(0).verdict(results);
  }

  @Test
  void severalComputeNodesHavePanelsOfTheirOwn() {
    Measured ours = Objects.requireNonNull(severalNodes(0.45).ours());
    String hits = " compute nodes, hit ratio of the storage cache, ycsb-c-uniform";
    assertThat(value(ours, "2" + hits, "BNEX", "25%")).isEqualTo(0.45);
    assertThat(value(ours, "4" + hits, "DEMOTE", "100%")).isEqualTo(0.5);
    assertThat(value(ours, "4 compute nodes, sent over the network, tpch-scans", "BNEX", "100%"))
        .isEqualTo(101);
  }

  @Test
  void fewerHitsThanInclusiveAreKnownForSeveralNodesAndThanDemoteAreNot() {
    assertThat(severalNodes(0.7).shape()).isEqualTo("as in the paper");
    Verdict fewer = severalNodes(0.45);
    assertThat(fewer.shape()).isEqualTo("differs");
    assertThat(fewer.isBad()).isFalse();
    assertThat(severalNodes(0.35).isBad()).isTrue();
  }

  /** Rows of both workloads, by which BNEX has these hit ratios. */
  private static List<String> onPageCaches(double small, double whole) {
    List<String> printed = new ArrayList<>();
    printed.add(
        "workload,policy,storage_cache_fraction,level2_hit_ratio,simulated_hit_ratio,asked_bytes,"
            + "demanded_disk_bytes,prefetched_disk_bytes,extra_network_bytes,level1_bytes,"
            + "level2_bytes,compute_nodes,mib_per_s");
    for (String workload : List.of("tpch-scans", "ycsb-c-uniform")) {
      printed.add(workload + ",Incl,1.00,0.6000,0.6000,9,8,0,0,1,1,2,40.0");
      printed.add(workload + ",BNEX,0.25," + small + ",0.5000,9,8,7,6,1,1,2,50.0");
      printed.add(workload + ",BNEX,1.00," + whole + ",0.5000,9,8,7,6,1,1,2,60.5");
    }
    return printed;
  }

  private static Verdict realNodes(double small, double whole) {
    Map<String, Measured> results = new HashMap<>();
    for (String part : List.of("two-level-real-2-nodes", "two-level-real-4-nodes")) {
      results.put(part, of(part, Map.of(), onPageCaches(small, whole)));
    }
    return Catalogue.select(List.of("bnex-4-real-nodes")).get(0).verdict(results);
  }

  @Test
  void realNodesHavePanelsOfHitsAndThroughput() {
    Measured ours = Objects.requireNonNull(realNodes(0.2, 0.7).ours());
    String four = "real page caches, 4 compute nodes, ";
    assertThat(value(ours, four + "hit ratio of the storage cache, tpch-scans", "BNEX", "25%"))
        .isEqualTo(0.2);
    String read = "what compute nodes got in a second of waiting, ycsb-c-uniform";
    assertThat(value(ours, four + read, "BNEX", "100%")).isEqualTo(60.5);
    assertThat(value(ours, "real page caches, 2 compute nodes, " + read, "Incl", "100%"))
        .isEqualTo(40);
  }

  @Test
  void realNodesMayHitLessThanInclusiveButMoreWithMoreRoom() {
    assertThat(realNodes(0.2, 0.7).shape()).isEqualTo("as in the paper");
    Verdict fewer = realNodes(0.2, 0.5);
    assertThat(fewer.shape()).isEqualTo("differs");
    assertThat(fewer.isBad()).isFalse();
    assertThat(realNodes(0.7, 0.65).isBad()).isTrue();
  }

  @Test
  void oneRealNodeHasThroughputToo() {
    Measured measured = of("two-level-real", Map.of(), onPageCaches(0.2, 0.7));
    String read = "real page caches, what compute nodes got in a second of waiting, tpch-scans";
    assertThat(value(measured, read, "BNEX", "100%")).isEqualTo(60.5);
  }

  /** With room for nothing and for all. */
  private static Verdict extentCache(double hits, int heap, double cpu) {
    List<String> printed =
        List.of(
            "workload,extents,hit_ratio,evicted_pages,lost_pages,fiemaps,cpu_ns_per_page,"
                + "heap_bytes,bpf_map_bytes",
            "ycsb-c-uniform,0,0.0000,1000,0,1000,9000.0,2097152,1048576",
            "ycsb-c-uniform,32768," + hits + ",1000,0,10," + cpu + "," + heap + ",1048576");
    Map<String, Measured> results = Map.of("extent-cache", of("extent-cache", Map.of(), printed));
    return Catalogue.select(List.of("bnex-extent-cache")).get(0).verdict(results);
  }

  @Test
  void theExtentCacheHasMemoryHitsAndCpuBySize() {
    Verdict verdict = extentCache(0.99, 3 << 20, 400);
    assertThat(verdict.shape()).isEqualTo("as in the paper");
    Measured ours = Objects.requireNonNull(verdict.ours());
    String memory = "memory of KTracer by the Extent Cache's size";
    assertThat(value(ours, memory, "heap, ycsb-c-uniform", "32768")).isEqualTo(3072);
    assertThat(value(ours, memory, "BPF maps, ycsb-c-uniform", "0")).isEqualTo(1024);
    assertThat(value(ours, "hit ratio of the Extent Cache", "ycsb-c-uniform", "32768"))
        .isEqualTo(0.99);
  }

  @Test
  void anExtentCacheThatIsOfNoUseOrCostsNothingIsNotAsItShouldBe() {
    assertThat(extentCache(0.5, 3 << 20, 400).isBad()).isTrue();
    assertThat(extentCache(0.99, 1 << 20, 400).isBad()).isTrue();
    assertThat(extentCache(0.99, 3 << 20, 9999).isBad()).isTrue();
  }

  /** Of a thousand pages of random reads, for which the file system was asked so often. */
  private static Verdict ktracer(int withExtentCache, int without) {
    List<String> printed =
        List.of(
            "workload,ktracer,evicted_pages,lost_pages,cpu_ns_per_page,fiemaps,runs,sent_bytes",
            "ycsb-c-uniform,as it is,2000,0,200.0," + 2 * withExtentCache + ",1800,9000",
            "ycsb-c-uniform,without Extent Cache,1000,0,2500.5," + without + ",950,4500",
            "ycsb-c-uniform,without batching,1000,0,300.0,4,1000,9000");
    Map<String, Measured> results = Map.of("ktracer", of("ktracer", Map.of(), printed));
    return Catalogue.select(List.of("bnex-ktracer")).get(0).verdict(results);
  }

  @Test
  void whatKTracerTakesIsSaidForEachPage() {
    Measured ours = Objects.requireNonNull(ktracer(4, 980).ours());
    String cpu = "CPU of KTracer's threads for each evicted page";
    assertThat(value(ours, cpu, "without Extent Cache", "ycsb-c-uniform")).isEqualTo(2500.5);
    String lookups = "FIEMAPs for 1000 evicted pages";
    assertThat(value(ours, lookups, "as it is", "ycsb-c-uniform")).isEqualTo(4);
    assertThat(ktracer(4, 980).shape()).isEqualTo("as in the paper");
  }

  @Test
  void anExtentCacheThatSavesNoLookupIsNotAsInThePaper() {
    assertThat(ktracer(980, 980).isBad()).isTrue();
    assertThat(ktracer(4, 4).isBad()).isTrue();
  }

  @Test
  void withoutValuesNoFigureHasThePapersShape() {
    for (Figure figure : Catalogue.all()) {
      Map<String, Measured> nothing = new HashMap<>();
      figure.parts().forEach(part -> nothing.put(part.name(), new Measured(List.of())));
      if (!figure.parts().isEmpty()) {
        assertThat(figure.verdict(nothing).shape()).as(figure.id()).isEqualTo("differs");
      }
    }
  }
}
