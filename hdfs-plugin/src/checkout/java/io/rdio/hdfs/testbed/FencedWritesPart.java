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
import java.util.LinkedHashMap;
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
  private final PrintStream out;
  private final HostNamespaces namespaces = new HostNamespaces();
  private final SlotFolder volume = new SlotFolder(Fabric.VOLUMES.get(0).resolve("data"));
  private final Path dataNodes;
  private final String clients;
  private final Path patience;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private boolean ok = true;

  private FencedWritesPart(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    this.fabric = fabric;
    this.hdfs = hdfs;
    this.out = out;
    dataNodes = Path.of("/dev", fabric.device(DATANODE, VOLUME));
    clients = fabric.device(CLIENT, VOLUME);
    patience = Path.of("/sys/class/nvme", fabric.controller(CLIENT, VOLUME), "fast_io_fail_tmo");
    // Readers' devices are read-only.
    Shell.run("blockdev", "--setrw", "/dev/" + clients);
  }

  static FencedWritesPart run(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    FencedWritesPart part = new FencedWritesPart(fabric, hdfs, out);
    out.println("testbed: agents of two hosts write, and one of them is shut out");
    try (Agent paused = part.agent(CLIENT, "agent-paused");
        Agent other = part.agent(OTHER, "agent-other");
        HostProgram first = part.writer(CLIENT, "writer-paused");
        HostProgram second = part.writer(OTHER, "writer-other")) {
      await("the agents to serve", () -> !paused.report().isEmpty() && !other.report().isEmpty());
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

  private HostProgram writer(Host host, String name) throws IOException {
    return new HostProgram(
        hdfs.writer(host, WriterMain.class.getName()), hdfs.logs().resolve(name + ".log"));
  }

  private void registered(HostProgram first, HostProgram second) throws IOException {
    check("an agent writes once its host is registered", isWriting(first, "first"));
    check("so does another host's", isWriting(second, "second"));
    check("both are registered beside the DataNode's host", registrants() == 3);
    await("what they did not need to come back", () -> volume.leased().isEmpty());
    await("slots of a block", () -> volume.free(BLOCK).size() >= SLOTS);
  }

  /** Writes files until the agent wrote one: it has to wait until it may register. */
  private boolean isWriting(HostProgram writer, String name) throws IOException {
    long before = bytes(writer);
    for (int i = 0; i < POLLS_MAX && bytes(writer) == before; i++) {
      String file = FOLDER + name + i;
      write(writer, file);
      delete(writer, file);
      LockSupport.parkNanos(POLL_NANOS);
    }
    return bytes(writer) > before;
  }

  /** How many bytes the agent wrote for a process. */
  private static long bytes(HostProgram writer) throws IOException {
    return Long.parseLong(writer.ask("bytes"));
  }

  /** A file of one block, by whomever; its SHA-256. */
  private static String write(HostProgram writer, String file) throws IOException {
    begin(writer, file, BLOCK);
    return writer.ask("close " + file);
  }

  private static void begin(HostProgram writer, String file, long bytes) throws IOException {
    require("opened", writer.ask("open " + file));
    require("wrote", writer.ask("write " + file + " " + bytes));
  }

  private static void delete(HostProgram writer, String file) throws IOException {
    require("true", writer.ask("delete " + file));
  }

  private static void require(String expected, String answer) throws IOException {
    if (!answer.equals(expected)) {
      throw new IOException("a writer says: " + answer + ", and not: " + expected);
    }
  }

  private void lateWrite(Agent paused, HostProgram first, HostProgram second) throws IOException {
    long fenced = fenced();
    begin(first, PAUSED + "0", BEGUN);
    await("a slot to be lent", () -> volume.leased().size() == 1);
    long place = SlotFolder.place(volume.leased().get(0));
    begin(second, OPEN + "0", BEGUN);
    await("another one", () -> volume.leased().size() == 2);
    // W14 was asked when the slot was lent. From now on what is under way waits for its path.
    Files.writeString(patience, "-1");
    fabric.storageLink(CLIENT, false);
    first.tell("close " + PAUSED + "0"); // sends the rest, and waits for the device
    await("a write to be under way", () -> writesUnderWay() > 0);
    paused.pause();
    Block taken = taken(second, place);
    check("the slot of the paused agent is another host's block", taken.isThere());
    check("the DataNode has kept it until its host was shut out", fenced() > fenced);
    check("that host is registered no more, and the others are", registrants() == 2);
    long before = conflicts();
    fabric.storageLink(CLIENT, true);
    check("its late write comes, and the target refuses it", comes(() -> conflicts() > before));
    check("no foreign byte is in that block", sha256(taken.files()).equals(taken.sha256()));
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
  private Block taken(HostProgram second, long place) throws IOException {
    for (int i = 0; i < POLLS_MAX; i++) {
      String files = FOLDER + "taken" + i + "-";
      String sha256 = write(second, files + "0");
      require("wrote", second.ask("write " + OPEN + "0 " + LITTLE));
      if (volume.hasBlockAt(place)) {
        return new Block(files, sha256);
      }
      delete(second, files + "0");
      LockSupport.parkNanos(POLL_NANOS);
    }
    return new Block("", "");
  }

  /** What the other host had open all along, while another one was shut out of the same device. */
  private void closed(HostProgram second) throws IOException {
    long before = bytes(second);
    String sha256 = second.ask("close " + OPEN + "0");
    check("a block that the other host had open all along is its agent's", bytes(second) > before);
    check("and has its bytes", sha256(OPEN).equals(sha256));
  }

  private void writesAgain() throws IOException {
    Files.writeString(patience, "5");
    try (Agent again = agent(CLIENT, "agent-again");
        HostProgram writer = writer(CLIENT, "writer-again")) {
      await("the agent to serve", () -> !again.report().isEmpty());
      check("the host that was shut out writes again", isWriting(writer, "again"));
      check("registered anew", registrants() == 3);
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

  /** Of the client's host, as its kernel counts. */
  private int writesUnderWay() throws IOException {
    String counts = Files.readString(Path.of("/sys/class/block", clients, "inflight")).strip();
    return Integer.parseInt(counts.substring(counts.lastIndexOf(' ') + 1));
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

  private void check(String what, boolean holds) {
    ok &= holds;
    fields.put(what, holds);
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  /** Something that comes true some time after it was asked for. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static boolean comes(Condition condition) throws IOException {
    for (int i = 0; i < POLLS_MAX; i++) {
      if (condition.holds()) {
        return true;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return condition.holds();
  }

  private static void await(String what, Condition condition) throws IOException {
    if (!comes(condition)) {
      throw new IOException(
          "waited "
              + TimeUnit.NANOSECONDS.toSeconds(POLLS_MAX * POLL_NANOS)
              + " s in vain for "
              + what);
    }
  }

  /** For the JSON: each check, and whether it held. */
  Map<String, Object> fields() {
    return fields;
  }

  /** Whether all checks held. */
  boolean allOk() {
    return ok;
  }
}
