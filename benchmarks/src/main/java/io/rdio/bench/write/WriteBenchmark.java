// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.BenchCluster;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.FileWrites;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.RemoteWrites;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.write.WarmUpRun.Stored;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Streams and objects, by stock HDFS and by the agent in turn; where files are erasure-coded, by
 * the agent with immediate and with deferred parity. Each way has one client JVM over all rounds;
 * the first round is not measured, and what is written to warm up is not.
 *
 * @param seen what was seen besides what the passes have; filled by the run
 * @param warmedUp what was stored before the rounds, by way; filled by the run
 */
record WriteBenchmark(WritePlan plan, Map<Seen, Long> seen, Map<Way, Stored> warmedUp)
    implements ClusterBenchmark<Load> {
  private static final List<Way> WAYS = List.of(Way.STOCK, Way.AGENT);
  private static final List<Way> CODED_WAYS = List.of(Way.STOCK, Way.IMMEDIATE, Way.DEFERRED);

  /** Of a DataNode more than every benchmark has. */
  private static final long JVM_BYTES = 1L << 29;

  /** What was seen once, of all DataNodes. */
  enum Seen {
    /** Slots that were made. */
    SLOTS_MADE,
    /** Those of them that zeros were written to. */
    SLOTS_ZEROED
  }

  WriteBenchmark(WritePlan plan) {
    this(plan, new EnumMap<>(Seen.class), new EnumMap<>(Way.class));
  }

  @Override
  public long bytes() {
    // A pass takes its slots out of the pool, which is filled again while the files are there.
    return plan.poolBytes() + plan.largestPassBytes();
  }

  @Override
  public long jvmBytes() {
    return (dataNodes() - 1) * JVM_BYTES;
  }

  @Override
  public int dataNodes() {
    return plan.dataNodes();
  }

  private List<Way> ways() {
    return plan.policy() == null ? WAYS : CODED_WAYS;
  }

  @Override
  public Map<String, String> keys() {
    return RemoteWrites.clusterKeys(plan.blockBytes(), plan.poolBytes());
  }

  @Override
  public String verified() {
    return "all files of all passes by stock HDFS, those before them by nobody";
  }

  @Override
  public void run(BenchCluster cluster, Passes<Load> passes) throws IOException {
    cluster.addRdioKeys(RemoteWrites.clientKeys(plan.smallBytes()));
    FileWrites writes = cluster.startWriters(ways(), plan.policy());
    cluster.say("Waiting for " + Sizes.label(plan.poolBytes()) + " of slots on each DataNode...");
    writes.awaitSlots(plan.poolBytes(), plan.blockBytes());
    List<Load> loads = plan.loads();
    for (Load load : loads) {
      if (load.output().bytes() < plan.smallBytes()) {
        passes.anyWay(load); // which stock HDFS writes for both
      }
    }
    warmUp(cluster, writes);
    for (int round = 0; round <= plan.rounds(); round++) {
      cluster.say(
          round == 0
              ? "Warming up by a round..."
              : "Round " + round + " of " + plan.rounds() + "...");
      for (Load load : loads) {
        double seconds = load.isStream() ? 0 : plan.seconds();
        passes.round(
            round,
            load,
            ways(),
            way -> writes.measure(way, load.files(), plan.threads(), load.output(), seconds));
      }
    }
    seen.put(Seen.SLOTS_MADE, writes.counter("SlotsMade"));
    seen.put(Seen.SLOTS_ZEROED, writes.counter("SlotsZeroed"));
  }

  private void warmUp(BenchCluster cluster, FileWrites writes) throws IOException {
    Load load = plan.warmUpLoad();
    WarmUpRun run =
        new WarmUpRun(
            plan.warmUp(),
            load.files(),
            (way, files, seconds) ->
                writes.store(way, files, plan.threads(), load.output(), seconds),
            System::nanoTime,
            cluster::say);
    warmedUp.putAll(run.run(ways()));
    writes.awaitRemoved();
  }

  @Override
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%d DataNodes, blocks of %s, %d %s, rounds: %d",
        dataNodes(),
        Sizes.label(plan.blockBytes()),
        plan.threads(),
        plan.threads() == 1 ? "thread" : "threads",
        plan.rounds());
  }

  @Override
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("datanodes", dataNodes());
    fields.put("threads", plan.threads());
    fields.put("rounds", plan.rounds());
    fields.put("seconds", plan.seconds());
    fields.put("warm_up_blocks", plan.warmUp().blocks());
    fields.put("warm_up_seconds_max", plan.warmUp().secondsMax());
    fields.put("pool_bytes", plan.poolBytes());
    fields.put("small_bytes", plan.smallBytes());
    return fields;
  }

  @Override
  public Findings findings(Passes<Load> passes, ClusterOptions where) {
    return new WriteFindings(this, passes).all();
  }
}
