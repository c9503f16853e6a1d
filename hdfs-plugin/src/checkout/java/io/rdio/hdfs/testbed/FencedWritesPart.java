// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;
import static io.rdio.hdfs.testbed.Host.OTHER;

import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.fence.Reservations;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * W8 at Linux's own target, in a boot of its own with a kernel that has reservations, and with a
 * second host of clients. The client's host has a write under way that its kernel holds back, and
 * its agent is stopped, until the slot that it goes to is a block of the other host's; then the
 * write comes. Meanwhile the other host writes on, and the client's host writes again at last.
 *
 * <p>No machine stands still here, for all hosts are of one kernel: it waits for the client's path
 * for as long as it takes, as one that stood still would have it.
 */
final class FencedWritesPart {
  private static final long BLOCK = 8L << 20;

  /** Of all HDFS: few slots that a full block goes to, which are soon made anew. */
  static final Map<String, String> KEYS =
      Map.of(
          "dfs.blocksize",
          Long.toString(BLOCK),
          RdioConfigKeys.DATANODE_WRITE.name(),
          "fenced",
          RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(),
          "20s",
          RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(),
          "20s",
          RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(),
          "24m");

  /** Of a block each, by these keys. */
  private static final int SLOTS = 2;

  private static final String FOLDER = "/fenced-writes/";

  /** Each is one file, whose number is 0. */
  private static final String PAUSED = FOLDER + "paused-";

  private static final String OPEN = FOLDER + "open-";

  /** More than is kept in memory before a block is begun, and not all of one. */
  private static final long BEGUN = 5L << 20;

  private static final long LITTLE = 4096;

  private static final String BEAN = "Hadoop:service=DataNode,name=RdioDataNode-*";

  /** As Linux's log has it, of a command that a target refused for a reservation. */
  private static final String CONFLICT = "reservation conflict";

  /** An emulated processor. */
  private static final int POLLS_MAX = 360;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Fabric fabric;
  private final FabricHdfs hdfs;
  private final Checks checks;
  private final HostNamespaces namespaces = new HostNamespaces();
  private final SlotFolder volume = new SlotFolder(Fabric.VOLUMES.get(0).resolve("data"));
  private final Path dataNodes;
  private final Path patience;

  private FencedWritesPart(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    this.fabric = fabric;
    this.hdfs = hdfs;
    this.checks = new Checks(out);
    dataNodes = Path.of("/dev", fabric.device(DATANODE, VOLUME));
    patience = Path.of("/sys/class/nvme", fabric.controller(CLIENT, VOLUME), "fast_io_fail_tmo");
    fabric.allowWrites(CLIENT);
  }

  static FencedWritesPart run(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    FencedWritesPart part = new FencedWritesPart(fabric, hdfs, out);
    out.println("testbed: agents of two hosts write, and one of them is shut out");
    try (Agent paused = part.agent(CLIENT, "agent-paused");
        Agent other = part.agent(OTHER, "agent-other");
        WritingProcess first = WritingProcess.start(hdfs, CLIENT, "writer-paused");
        WritingProcess second = WritingProcess.start(hdfs, OTHER, "writer-other")) {
      Waits.await(
          "the agents to serve", () -> !paused.report().isEmpty() && !other.report().isEmpty());
      part.registered(first, second);
      part.lateWrite(paused, first, second);
      part.closed(second);
      paused.kill();
    }
    part.writesAgain();
    return part;
  }

  private Agent agent(Host host, String name) throws IOException {
    return Agent.start(name, hdfs.writingAgent(host), hdfs.logs());
  }

  /** An agent has to wait until it may register. */
  private void registered(WritingProcess first, WritingProcess second) throws IOException {
    checks.check(
        "an agent writes once its host is registered", first.isServed(FOLDER + "first", BLOCK));
    checks.check("so does another host's", second.isServed(FOLDER + "second", BLOCK));
    checks.check("both are registered beside the DataNode's host", registrants() == 3);
    Waits.await(
        "what they did not need to come back, and slots of a block",
        () -> volume.isSettled(SLOTS, BLOCK));
  }

  private static void begin(WritingProcess writer, String file) throws IOException {
    writer.open(file);
    writer.write(file, BEGUN);
  }

  private void lateWrite(Agent paused, WritingProcess first, WritingProcess second)
      throws IOException {
    long fenced = fenced();
    begin(first, PAUSED + "0");
    Waits.await("a slot to be lent", () -> volume.leased().size() == 1);
    long place = SlotFolder.place(volume.leased().get(0));
    begin(second, OPEN + "0");
    Waits.await("another one", () -> volume.leased().size() == 2);
    // W14 was asked when the slot was lent. From now on what is under way waits for its path.
    Files.writeString(patience, "-1");
    fabric.storageLink(CLIENT, false);
    first.tellToClose(PAUSED + "0"); // sends the rest, and waits for the device
    Waits.await("a write to be under way", () -> fabric.writesUnderWay(CLIENT, DATANODE) > 0);
    paused.pause();
    Block taken = taken(second, place);
    checks.check("the slot of the paused agent is another host's block", taken.isThere());
    checks.check("the DataNode has kept it until its host was shut out", fenced() > fenced);
    checks.check("that host is registered no more, and the others are", registrants() == 2);
    long before = conflicts();
    fabric.storageLink(CLIENT, true);
    checks.check(
        "its late write comes, and the target refuses it", Waits.comes(() -> conflicts() > before));
    checks.check("no foreign byte is in that block", sha256(taken.files()).equals(taken.sha256()));
  }

  /**
   * A block of the other host's.
   *
   * @param files one, whose number is 0
   */
  private record Block(String files, String sha256) {
    boolean isThere() {
      return !sha256.isEmpty();
    }
  }

  /** Has the other host write until one of its blocks lies at a place. */
  private Block taken(WritingProcess second, long place) throws IOException {
    for (int i = 0; i < POLLS_MAX; i++) {
      String files = FOLDER + "taken" + i + "-";
      String sha256 = second.create(files + "0", BLOCK);
      second.write(OPEN + "0", LITTLE);
      if (volume.hasBlockAt(place)) {
        return new Block(files, sha256);
      }
      second.delete(files + "0");
      LockSupport.parkNanos(POLL_NANOS);
    }
    return new Block("", "");
  }

  /** What the other host had open all along, while another one was shut out of the same device. */
  private void closed(WritingProcess second) throws IOException {
    long before = second.bytes();
    WriteAnswer answer = second.close(OPEN + "0");
    checks.check(
        "a block that the other host had open all along is its agent's", second.bytes() > before);
    checks.check("and has its bytes", answer.isClosed() && sha256(OPEN).equals(answer.text()));
  }

  private void writesAgain() throws IOException {
    Files.writeString(patience, "5");
    try (Agent again = agent(CLIENT, "agent-again");
        WritingProcess writer = WritingProcess.start(hdfs, CLIENT, "writer-again")) {
      Waits.await("the agent to serve", () -> !again.report().isEmpty());
      checks.check(
          "the host that was shut out writes again", writer.isServed(FOLDER + "again", BLOCK));
      checks.check("registered anew", registrants() == 3);
    }
  }

  /** How many hosts the target lets write. */
  private int registrants() throws IOException {
    try (Reservations reservations = namespaces.open(namespaces.of(dataNodes))) {
      return reservations.report().registrants().size();
    }
  }

  private long fenced() throws IOException {
    return hdfs.dataNode().jmx(BEAN).get("SlotsFenced") instanceof Number number
        ? number.longValue()
        : 0;
  }

  /** Commands that a target has refused for a reservation, so far. */
  private static long conflicts() throws IOException {
    return Shell.run("dmesg")
        .lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).contains(CONFLICT))
        .count();
  }

  /** What stock HDFS reads of a file, whose number is 0: from the device, not from memory. */
  private String sha256(String files) throws IOException {
    if (files.isEmpty()) {
      return "";
    }
    fabric.dropPageCache();
    return hdfs.client().read(false, new FileSet(files, 1, BLOCK)).sha256();
  }

  /** For the JSON: each check, and whether it held. */
  Map<String, Boolean> fields() {
    return checks.fields();
  }

  /** Whether all checks held. */
  boolean allOk() {
    return checks.allOk();
  }
}
