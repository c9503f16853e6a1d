// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;

import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.Shell;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Files on xfs past a dead DataNode, with the kernel's own target: refused while its host may still
 * write, read by a copy of the volume's metadata once that host was fenced off, and refused again
 * when the fence is undone: by a client that is root, and by the agent for one that may do nothing
 * to a device. Whoever reads is a process of its own, and stock HDFS has nobody to ask.
 */
final class FencedXfsPart {
  private static final FileSet FILE = new FileSet("/fenced/file", 1, 8L << 20);
  private static final FileSet LATER = new FileSet("/fenced/later", 20, 20_000);

  private static final String CAT = "hdfs dfs -cat";

  /** Of the agent's figures. */
  private static final String REFUSALS = "refusals_total{reason=\"XFS_NEEDS_DATANODE\"}";

  /** A doctor takes half a minute there. */
  private static final int DOCTORS_MAX = 6;

  /** An emulated processor. */
  private static final int POLLS_MAX = 360;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final FabricHdfs hdfs;
  private final HostCommands commands;
  private final PrintStream out;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private boolean ok = true;

  private FencedXfsPart(FabricHdfs hdfs, PrintStream out) {
    this.hdfs = hdfs;
    this.commands = new HostCommands(hdfs, out);
    this.out = out;
  }

  static FencedXfsPart run(FabricHdfs hdfs, PrintStream out) throws IOException {
    FencedXfsPart part = new FencedXfsPart(hdfs, out);
    out.println("testbed: files on xfs past a dead DataNode whose host is fenced off");
    String sha256 = hdfs.client().write(FILE);
    String later = hdfs.client().write(LATER);
    // To the device, and to the log alone: nothing has them written to their places yet.
    for (Path volume : Fabric.VOLUMES) {
      Shell.run("sync", "-f", volume.toString());
    }
    ReadOutcome read = hdfs.client().read(true, FILE);
    part.check(
        "while the DataNode lives it is read by a lease",
        read.allByRdio() && read.sha256().equals(sha256));
    part.check("its host has reserved the volume", part.isReserved());
    hdfs.dataNode().kill();
    part.check("with its host not fenced off it is refused", !part.cat(FILE).equals(sha256));
    part.check(
        "rdio fence shuts the host out",
        part.commands.fence(FabricHdfs.DATA_NODE_HOST, "--force").status() == 0);
    part.fenced(sha256, later);
    return part;
  }

  private void fenced(String sha256, String later) throws IOException {
    // Its classes are loaded while others read.
    try (Agent agent = Agent.start("agent", CLIENT.place(hdfs.agent()), hdfs.logs())) {
      check("behind the fence it is read from the device", cat(FILE).equals(sha256));
      check("and so are many that the log alone names", cat(LATER).equals(later));
      await(agent);
      check("by the agent a process without rights reads it", catByAgent(FILE).equals(sha256));
      check(
          "rdio fence --undo gives the volume back",
          commands.fence("--undo", FabricHdfs.DATA_NODE_HOST).status() == 0);
      check("then it is refused again", !cat(FILE).equals(sha256));
      long before = agent.counter(REFUSALS);
      boolean refused = !catByAgent(FILE).equals(sha256);
      check("by the agent, too", refused && agent.counter(REFUSALS) > before);
    }
  }

  /** It reports from when it serves on. */
  private static void await(Agent agent) throws IOException {
    for (int i = 0; i < POLLS_MAX && agent.report().isEmpty(); i++) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    if (agent.report().isEmpty()) {
      throw new IOException("the agent does not serve");
    }
  }

  private void check(String what, boolean holds) {
    ok &= holds;
    fields.put(what, holds);
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  private boolean isReserved() throws IOException {
    boolean reserved = false;
    for (int i = 0; i < DOCTORS_MAX && !reserved; i++) {
      reserved = commands.doctor(FILE.name() + "0").line("fence", "/whole/", "Write Exclusive");
    }
    return reserved;
  }

  /** Reads them by a fresh {@code hdfs dfs -cat}; the SHA-256 of what came. */
  private String cat(FileSet files) throws IOException {
    return sha256(CLIENT.place(hdfs.pastDataNodes(command(files))));
  }

  /** The same of a process that has nothing but the agent's socket. */
  private String catByAgent(FileSet files) throws IOException {
    return sha256(CLIENT.placeWithoutRights(hdfs.byAgent(command(files))));
  }

  private static String[] command(FileSet files) {
    List<String> command = new ArrayList<>(List.of("org.apache.hadoop.fs.FsShell", "-cat"));
    for (int i = 0; i < files.count(); i++) {
      command.add(files.name() + i);
    }
    return command.toArray(String[]::new);
  }

  private String sha256(ProcessBuilder command) throws IOException {
    Process process = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      process.getOutputStream().close();
      String sha256 = ProcessEnd.read(process, CAT, Waits.ANSWER, FencedXfsPart::digestOf);
      out.println("testbed: " + CAT + " ended with " + ProcessEnd.statusOf(process, CAT));
      return sha256;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String digestOf(InputStream output) throws IOException {
    MessageDigest digest = RandomContent.sha256();
    try (InputStream bytes = new DigestInputStream(output, digest)) {
      bytes.transferTo(OutputStream.nullOutputStream());
    }
    return RandomContent.hex(digest);
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
