// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.Reservations;
import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * NVMe reservations at Linux's own target, in a boot of its own with a kernel that has them: the
 * DataNode's host reserves its first volume's namespace, the client's host shuts it out in
 * mid-write, and gives it back; then the same with agents beside it. The second volume's namespace
 * takes no reservations.
 */
final class FencePart {
  private static final FileSet FILE = new FileSet("/fence/file", 1, 8L << 20);

  /** As Linux says that a device refused it for a reservation (EBADE). */
  private static final String CONFLICT = "Invalid exchange";

  /** Of the namespace that takes none, by the script {@code fabric}. */
  private static final String PARTITIONED_UUID = "00000002-2222-4222-8222-222222222222";

  private static final long OWN = HostKey.of(FabricHdfs.DATA_NODE_HOST);
  private static final long AGENT = HostKey.of("agent");

  /** Looks that are five seconds apart, and an emulated processor. */
  private static final int POLLS_MAX = 120;

  private static final int POLL_MILLIS = 500;

  /** A doctor takes half a minute there. */
  private static final int DOCTORS_MAX = 6;

  private final HostNamespaces namespaces = new HostNamespaces();
  private final HostCommands commands;
  private final PrintStream out;
  private final Path dataNodes;
  private final Path clients;
  private final long bytes;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private boolean ok = true;

  private FencePart(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    this.commands = new HostCommands(hdfs, out);
    this.out = out;
    dataNodes = Path.of("/dev", fabric.device(DATANODE, VOLUME));
    clients = Path.of("/dev", fabric.device(CLIENT, VOLUME));
    bytes = Long.parseLong(Shell.run("blockdev", "--getsize64", clients.toString()));
    // Readers' devices are read-only; whoever takes a volume over has to write to it.
    Shell.run("blockdev", "--setrw", clients.toString());
  }

  static FencePart run(Fabric fabric, FabricHdfs hdfs, PrintStream out) throws IOException {
    FencePart part = new FencePart(fabric, hdfs, out);
    out.println("testbed: reservations of the DataNode's host, and the client's host fences it");
    String sha256 = hdfs.client().write(FILE);
    part.reserved();
    part.fenced();
    ReadOutcome read = hdfs.client().read(true, FILE);
    part.check(
        "readers have the right bytes while the host is shut out", read.sha256().equals(sha256));
    part.seenByTheDataNode();
    part.undone();
    part.agents();
    return part;
  }

  private void check(String what, boolean holds) {
    ok &= holds;
    fields.put(what, holds);
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  private Reservations reservations(Path node) throws IOException {
    return namespaces.open(namespaces.of(node));
  }

  private RawBlock block(Path node) throws IOException {
    return new RawBlock(node, bytes);
  }

  /** Null where the device took the write, else what it said. */
  private @Nullable String write(Path node) throws IOException {
    try (RawBlock block = block(node)) {
      long before = block.read();
      try {
        block.write(before);
        return null;
      } catch (IOException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  private boolean isRefused(Path node) throws IOException {
    String said = write(node);
    return said != null && said.contains(CONFLICT);
  }

  private void reserved() throws IOException {
    await("the DataNode to reserve its namespace", () -> isHeld(dataNodes, OWN));
    try (RawBlock block = block(dataNodes)) {
      String said = Shell.run("debugfs", "-R", "testb " + block.number(), dataNodes.toString());
      check(
          "the block that is written to is the file system's to give", said.contains("not in use"));
    }
    check("the host that has reserved it writes", write(dataNodes) == null);
    check("another host's write is a reservation conflict", isRefused(clients));
    HostCommands.Said doctor = commands.doctor(FILE.name() + "0");
    check("doctor says that the fence is held", doctor.line("fence", "/whole/", "Write Exclusive"));
    check(
        "doctor says that the fence is missing on a target without",
        doctor.line("fence", "/partition/", "the fence is missing"));
    check(
        "rdio fence says so, too",
        commands.fence("--status").line(PARTITIONED_UUID, "the fence is missing"));
  }

  private boolean isHeld(Path node, long key) throws IOException {
    try (Reservations reservations = reservations(node)) {
      return reservations.report().isHeldBy(key);
    }
  }

  /** Writes one number after the other until the device refuses it. */
  private final class Writer extends Thread {
    private volatile long written;
    private volatile String refusal = "";

    @Override
    public void run() {
      try (RawBlock block = block(dataNodes)) {
        for (long value = 1; ; value++) {
          block.write(value);
          written = value;
        }
      } catch (IOException e) {
        refusal = String.valueOf(e.getMessage());
      }
    }
  }

  private void fenced() throws IOException {
    HostCommands.Said refused = commands.fence(FabricHdfs.DATA_NODE_HOST);
    check(
        "a host whose DataNode lives is not shut out unasked",
        refused.status() == 1 && refused.text().contains("lists as alive"));
    Writer writer = new Writer();
    writer.setDaemon(true);
    writer.start();
    await("the DataNode's host to write", () -> writer.written > 0);
    HostCommands.Said fence = commands.fence(FabricHdfs.DATA_NODE_HOST, "--force");
    check(
        "rdio fence shuts it out",
        fence.status() == 0 && fence.line("datanode is shut out", clients.toString()));
    long first;
    try (RawBlock block = block(clients)) {
      first = block.read();
      await("the DataNode's host to be refused", () -> !writer.refusal.isEmpty());
      check("the writer saw a reservation conflict", writer.refusal.contains(CONFLICT));
      check("what it was told was written is there", first >= writer.written);
      check("nothing lands behind the fence", block.read() == first);
    }
    check("its later writes are refused", isRefused(dataNodes));
    check("the host that fenced it writes", write(clients) == null);
    HostCommands.Said again = commands.fence(FabricHdfs.DATA_NODE_HOST, "--force");
    check(
        "done again it does no harm",
        again.status() == 0 && again.text().contains("was shut out before, and still is"));
    check("status is content", commands.fence("--status").status() == 0);
  }

  private void seenByTheDataNode() throws IOException {
    boolean seen = false;
    for (int i = 0; i < DOCTORS_MAX && !seen; i++) {
      seen = commands.doctor(FILE.name() + "0").text().contains("VOLUME_UNFENCED");
    }
    check("the DataNode has seen it, and grants nothing there", seen);
  }

  private void undone() throws IOException {
    HostCommands.Said undo = commands.fence("--undo", FabricHdfs.DATA_NODE_HOST);
    check(
        "undone the namespace is nobody's",
        undo.status() == 0 && undo.text().contains("not reserved"));
    check("and all may write", write(dataNodes) == null && write(clients) == null);
    check("the DataNode does not take it back by itself", !isHeld(dataNodes, OWN));
  }

  /** W8: an agent is registered beside the DataNode's host, and is shut out. */
  private void agents() throws IOException {
    ReservationType all = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
    try (Reservations dataNode = reservations(dataNodes);
        Reservations agent = reservations(clients)) {
      dataNode.register(OWN);
      dataNode.reserve(OWN, all);
      check("a host that is not registered is refused", isRefused(clients));
      agent.register(AGENT);
      check("an agent that is registered writes", write(clients) == null);
      new DeviceFence(dataNode, OWN, all).shutOut(AGENT);
      check("shut out by the DataNode's host it does not", isRefused(clients));
      check("and the DataNode's host does", write(dataNodes) == null);
      new DeviceFence(dataNode, OWN, all).shutOut(AGENT);
      agent.register(HostKey.of("agent again"));
      check("registered by another key it writes again", write(clients) == null);
    }
  }

  /** Something that comes true some time after it was asked for. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(String what, Condition condition) throws IOException {
    for (int i = 0; i < POLLS_MAX; i++) {
      if (condition.holds()) {
        return;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        throw interrupted(what, e);
      }
    }
    throw new IOException("waited " + POLLS_MAX * POLL_MILLIS / 1000 + " s in vain for " + what);
  }

  private static IOException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    IOException interrupted = new InterruptedIOException("interrupted while waiting for " + what);
    interrupted.initCause(cause);
    return interrupted;
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
