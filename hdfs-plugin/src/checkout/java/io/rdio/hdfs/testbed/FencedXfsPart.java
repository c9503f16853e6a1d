// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;

import io.rdio.hdfs.cluster.Shell;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Files on xfs past a dead DataNode, with the kernel's own target: refused while its host may still
 * write, read by a copy of the volume's metadata once that host was fenced off, and refused again
 * when the fence is undone. Whoever reads is a process of its own, and stock HDFS has nobody to
 * ask.
 */
final class FencedXfsPart {
  private static final FileSet FILE = new FileSet("/fenced/file", 1, 8L << 20);
  private static final FileSet LATER = new FileSet("/fenced/later", 20, 20_000);

  /** A doctor takes half a minute there. */
  private static final int DOCTORS_MAX = 6;

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
    part.check("behind the fence it is read from the device", part.cat(FILE).equals(sha256));
    part.check("and so are many that the log alone names", part.cat(LATER).equals(later));
    part.check(
        "rdio fence --undo gives the volume back",
        part.commands.fence("--undo", FabricHdfs.DATA_NODE_HOST).status() == 0);
    part.check("then it is refused again", !part.cat(FILE).equals(sha256));
    return part;
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
    List<String> command = new ArrayList<>(List.of("org.apache.hadoop.fs.FsShell", "-cat"));
    for (int i = 0; i < files.count(); i++) {
      command.add(files.name() + i);
    }
    Process process =
        CLIENT
            .place(hdfs.pastDataNodes(command.toArray(String[]::new)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      process.getOutputStream().close();
      MessageDigest digest = RandomContent.sha256();
      try (InputStream bytes = new DigestInputStream(process.getInputStream(), digest)) {
        bytes.transferTo(OutputStream.nullOutputStream());
      }
      out.println("testbed: hdfs dfs -cat ended with " + process.waitFor());
      return RandomContent.hex(digest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      IOException interrupted = new InterruptedIOException("interrupted in hdfs dfs -cat");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      process.destroyForcibly();
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
