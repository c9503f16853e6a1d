// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.secure;

import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Kerberos server (Hadoop's MiniKdc) in a JVM of its own, so that this JVM knows nothing of its
 * realm, EXAMPLE.COM.
 */
final class KdcProcess implements AutoCloseable {
  private final Path folder;
  private final Process process;

  private KdcProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /**
   * Starts it; it answers when this returns.
   *
   * @param folder for its files
   * @param principals whose keys are all in {@link #keytab}
   */
  static KdcProcess start(Path folder, List<String> principals) throws IOException {
    Path properties = Files.createFile(folder.resolve("kdc.properties"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx128m");
    command.add("--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED");
    command.add("org.apache.hadoop.minikdc.MiniKdc");
    command.add(folder.toString());
    command.add(properties.toString());
    command.add(folder.resolve("keytab").toString());
    command.addAll(principals);
    ProcessBuilder jvm = new ProcessBuilder(command);
    jvm.environment().put("CLASSPATH", TestClusters.hadoop("minikdc").value());
    Path log = folder.resolve("kdc.log");
    Process process = jvm.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    KdcProcess kdc = new KdcProcess(folder, process);
    await("the KDC answers")
        .atMost(Duration.ofMinutes(1))
        .until(() -> Files.readString(log).contains("MiniKdc Running") || !process.isAlive());
    if (!process.isAlive()) {
      throw new IOException("the KDC ended: " + Files.readString(log));
    }
    return kdc;
  }

  /** What tells a JVM of this realm: {@code java.security.krb5.conf}. */
  Path conf() {
    return folder.resolve("krb5.conf");
  }

  /** Keys of all principals. */
  Path keytab() {
    return folder.resolve("keytab");
  }

  @Override
  public void close() {
    ProcessEnd.kill(process);
  }
}
