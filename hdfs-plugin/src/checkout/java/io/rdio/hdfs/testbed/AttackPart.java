// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Fabric.VOLUME;
import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.SiteFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The device metadata plane attacked over NVMe/TCP, in a boot of its own, without HDFS: the
 * DataNode's host takes blocks away from files as fast as it can, and the client's host reads them
 * by its own device, without a lease. Without the look behind the data it is handed other files'
 * bytes: so it is an attack. The two programs are in rdio-core's jar of tests.
 */
final class AttackPart {
  private static final String PROGRAMS = "io.rdio.client.plane.device.";

  /** Beyond the time asked for, until there is something to tell on a busy machine. */
  private static final int MORE_SECONDS = 160;

  private static final int PAGES_MIN = 500;

  private final Fabric fabric;
  private final Path folder;
  private final Path logs;
  private final int seconds;
  private final PrintStream out;
  private final Map<String, Object> checks = new LinkedHashMap<>();
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private boolean ok = true;

  private AttackPart(Fabric fabric, Path folder, Path logs, int seconds, PrintStream out) {
    this.fabric = fabric;
    this.folder = folder;
    this.logs = logs;
    this.seconds = seconds;
    this.out = out;
  }

  /**
   * Attacks.
   *
   * @param seconds of each kind of readers: without the look, with it, and with CRCs, too
   */
  static AttackPart run(Fabric fabric, Path folder, Path logs, int seconds, PrintStream out)
      throws IOException {
    AttackPart part = new AttackPart(fabric, folder, logs, seconds, out);
    SiteFiles.write(folder.resolve("conf"), new Configuration(false));
    part.attack();
    part.fields.put("checks", part.checks);
    return part;
  }

  private void attack() throws IOException {
    String mounted = fabric.device(DATANODE, VOLUME);
    String device = fabric.device(CLIENT, VOLUME);
    if (mounted.equals(device)) {
      throw new IOException("native multipath is on: " + device + " is the one device of both");
    }
    out.printf("testbed: the DataNode's host attacks %s, the client's reads %s%n", mounted, device);
    try (HostProgram attacking = attacking(mounted);
        HostProgram attacked = program(CLIENT, "attacked.log", "AttackedHost", "/dev/" + device)) {
      String begun = attacking.line();
      if (!begun.equals("attacking")) {
        throw new IOException("the attacking host was to begin, and says: " + begun);
      }
      AttackOutcome blind = read(attacked, "blind", "blind unverified");
      check("without the look readers are handed foreign bytes", blind.foreign() > 0);
      looking(attacked, "CRCs off", "unverified");
      looking(attacked, "CRCs on", "verified");
      String ended = attacking.end();
      fields.put("writer", ended);
      check("the attack went on to the end", ended.startsWith("attacked "));
    }
  }

  private HostProgram attacking(String device) throws IOException {
    return program(
        DATANODE,
        "attacking.log",
        "AttackingHost",
        Fabric.VOLUMES.get(0).toString(),
        "/dev/" + device,
        "/proc/fs/ext4/" + device + "/options");
  }

  private HostProgram program(Host host, String log, String name, String... arguments)
      throws IOException {
    String[] words = new String[arguments.length + 1];
    words[0] = PROGRAMS + name;
    System.arraycopy(arguments, 0, words, 1, arguments.length);
    ProcessBuilder command =
        HadoopJvm.of(
            folder,
            folder.resolve("conf"),
            HadoopClassPath.ofThisJvm(),
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            words);
    return new HostProgram(host.place(command), logs.resolve(log));
  }

  private void looking(HostProgram attacked, String name, String verified) throws IOException {
    AttackOutcome outcome = read(attacked, name, "looking " + verified);
    check("with it, " + name + ", they are handed none", outcome.foreign() == 0);
    check(
        "with it, " + name + ", they are handed " + PAGES_MIN + " pages and more",
        outcome.pages() >= PAGES_MIN);
    check("with it, " + name + ", files changed under maps", outcome.changed() > 0);
  }

  private AttackOutcome read(HostProgram attacked, String name, String how) throws IOException {
    int secondsMax = seconds + MORE_SECONDS;
    String command =
        String.join(
            " ",
            "read",
            how,
            Integer.toString(seconds),
            Integer.toString(PAGES_MIN),
            Integer.toString(secondsMax));
    AttackOutcome outcome =
        AttackOutcome.parse(
            attacked.ask(command, Duration.ofSeconds(secondsMax).plus(Waits.USUAL)));
    out.println("testbed: " + name + ": " + outcome.line());
    fields.put(name, outcome.fields());
    return outcome;
  }

  private void check(String what, boolean holds) {
    ok &= holds;
    checks.put(what, holds);
    out.println("testbed: " + (holds ? "ok: " : "NOT SO: ") + what);
  }

  /** For the JSON. */
  Map<String, Object> fields() {
    return fields;
  }

  /** Whether all checks held. */
  boolean allOk() {
    return ok;
  }
}
