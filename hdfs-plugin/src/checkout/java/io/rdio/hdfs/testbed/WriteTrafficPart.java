// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.testbed.WriteMeter.Written;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files written by stock HDFS and by RDIO, with as many DataNodes as the bed has: what each link
 * carries for a byte of them, and for a file besides. Each file is one block or one group, of a
 * full slot for each of its DataNodes, and is read back in both ways.
 */
final class WriteTrafficPart {
  private static final long MB = 1L << 20;

  /** Whole stripes, as is the larger one: parity is as much for each byte of both. */
  private static final long SMALLER = 12 * MB;

  /** What a pool has beside a slot of a full block: small ones, of an eighth of it each. */
  private static final long SMALL_SLOTS = 40 * MB;

  /** {@code I}: what holds a block, and is waited for, ends soon. */
  private static final Duration IO_TIME_MAX = Duration.ofSeconds(20);

  private static final String BEAN = "Hadoop:service=DataNode,name=RdioDataNode-*";

  private final FabricHdfs hdfs;
  private final Fabric fabric;
  private final long larger;
  private final PrintStream out;
  private final Checks checks;
  private final List<WriteRow> rows = new ArrayList<>();

  private WriteTrafficPart(Fabric fabric, FabricHdfs hdfs, long larger, PrintStream out) {
    this.fabric = fabric;
    this.hdfs = hdfs;
    this.larger = larger;
    this.out = out;
    this.checks = new Checks(out);
  }

  /**
   * Of all HDFS.
   *
   * @param larger as in {@link #run}
   */
  static Map<String, String> keys(long larger) {
    return Map.of(
        "dfs.blocksize",
        Long.toString(larger),
        // What crosses the links meanwhile is counted with a file.
        "dfs.heartbeat.interval",
        "10s",
        // A block is wanted on each DataNode, also on one that looks busy beside the others.
        "dfs.namenode.redundancy.considerLoad",
        "false",
        RdioConfigKeys.DATANODE_FENCE.name(),
        "off",
        RdioConfigKeys.DATANODE_WRITE.name(),
        "on",
        RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(),
        Long.toString(larger + SMALL_SLOTS),
        RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(),
        IO_TIME_MAX.toSeconds() + "s",
        RdioConfigKeys.CLIENT_WRITE_PARITY.name(),
        "immediate");
  }

  /**
   * Writes them.
   *
   * @param larger bytes of the larger ones, whole stripes and the size of blocks
   */
  static WriteTrafficPart run(Fabric fabric, FabricHdfs hdfs, long larger, PrintStream out)
      throws IOException {
    WriteTrafficPart part = new WriteTrafficPart(fabric, hdfs, larger, out);
    out.println("testbed: files written by stock HDFS and by RDIO");
    fabric.allowWrites(CLIENT);
    try (Agent agent = Agent.start("agent", hdfs.writingAgent(CLIENT), hdfs.logs());
        WritingProcess writer = WritingProcess.start(hdfs, CLIENT, "writer")) {
      Waits.await("the agent to serve", () -> !agent.report().isEmpty());
      WriteMeter meter = new WriteMeter(fabric, hdfs, writer, larger, IO_TIME_MAX);
      part.checks.check("the agent writes", writer.isServed("/write-traffic/first", SMALLER));
      out.println("testbed: " + WriteRow.heading() + "  bytes for one of the file");
      for (WriteKind kind : WriteKind.of(fabric.dataNodes())) {
        part.measure(kind, meter);
      }
    }
    return part;
  }

  private void measure(WriteKind kind, WriteMeter meter) throws IOException {
    if (kind.isCoded()) {
      hdfs.client().code(kind.folder(), WriteKind.POLICY);
    }
    // On their first block of a kind both load classes, and open connections.
    meter.byStock(file(kind, "warm-up-stock-", SMALLER), kind.replication());
    meter.byRdio(file(kind, "warm-up-rdio-", SMALLER), kind.replication());
    WrittenPair stock =
        new WrittenPair(
            meter.byStock(file(kind, "stock-smaller-", SMALLER), kind.replication()),
            meter.byStock(file(kind, "stock-larger-", larger), kind.replication()));
    WrittenPair rdio =
        new WrittenPair(
            meter.byRdio(file(kind, "rdio-smaller-", SMALLER), kind.replication()),
            meter.byRdio(file(kind, "rdio-larger-", larger), kind.replication()));
    WriteRow row = new WriteRow(kind, stock, rdio, isZeroed() ? kind.units() * larger : 0);
    rows.add(row);
    out.println("testbed: " + row.line("stock", stock));
    out.println("testbed: " + WriteRow.links(stock));
    out.println("testbed: " + row.line("RDIO", rdio));
    out.println("testbed: " + WriteRow.links(rdio));
    out.println("testbed: " + row.explained());
    judge(row);
  }

  private static FileSet file(WriteKind kind, String name, long bytes) {
    return new FileSet(kind.folder() + name, 1, bytes);
  }

  /** Whether slots are made of zeros, which all of the target's namespaces are alike in. */
  private boolean isZeroed() throws IOException {
    for (HadoopDaemon dataNode : hdfs.dataNodes().values()) {
      Object zeroed = dataNode.jmx(BEAN).get("SlotsZeroed");
      if (zeroed instanceof Number number && number.longValue() > 0) {
        return true;
      }
    }
    return false;
  }

  private void judge(WriteRow row) throws IOException {
    String name = row.kind().name() + ": ";
    checks.check(name + "the agent wrote every byte", isAllByAgent(row.rdio()));
    checks.check(name + "stock HDFS moves each twice, as is counted", row.isStockTwice());
    checks.check(name + "RDIO moves each as often as it is stored", row.isOnce());
    checks.check(name + "and none over the compute network", row.isPastTheNetwork());
    checks.check(name + "a file's messages and journals are few", row.areMessagesFew());
    fabric.dropPageCache();
    checks.check(name + "read back all is what was written", isReadBack(row));
    fabric.dropPageCache();
    boolean areEqual = contents().unequalReplicas().isEmpty();
    checks.check(name + "all replicas of a block are equal", areEqual);
  }

  private static boolean isAllByAgent(WrittenPair rdio) {
    return rdio.both().stream().allMatch(file -> file.byAgent() == file.files().bytes());
  }

  /** By stock HDFS and by RDIO, which has to have read it; of groups it may read less. */
  private boolean isReadBack(WriteRow row) throws IOException {
    List<Written> files = new ArrayList<>(row.stock().both());
    files.addAll(row.rdio().both());
    boolean right = true;
    for (Written file : files) {
      ReadOutcome stock = hdfs.client().read(false, file.files());
      ReadOutcome rdio = hdfs.client().read(true, file.files());
      right &= isSame(stock, file) && isSame(rdio, file);
      right &= row.kind().isCoded() ? rdio.rdioBytes() > 0 : rdio.allByRdio();
    }
    return right;
  }

  private static boolean isSame(ReadOutcome outcome, Written file) {
    return outcome.sha256().equals(file.sha256()) && outcome.bytes() == file.files().bytes();
  }

  private BlockContents contents() throws IOException {
    return BlockContents.of(
        SlotFolder.of(Host.dataNodes(fabric.dataNodes())).stream().map(SlotFolder::data).toList());
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kinds", rows.stream().map(WriteRow::fields).toList());
    fields.put("checks", checks.fields());
    return fields;
  }

  /** Whether all of it is as it should be. */
  boolean allOk() {
    return checks.allOk();
  }
}
