// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A router of router-based federation in a JVM of its own. Its mount table has a folder for each
 * nameservice, of the same name, which is that nameservice's root.
 */
public final class HdfsRouter implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final Duration START_TIME_MAX = Duration.ofSeconds(90);
  private static final List<String> OPTIONS = List.of("-Xmx256m", "-XX:TieredStopAtLevel=1");
  private static final String KEYS = "dfs.federation.router.";
  private static final String STORE =
      "org.apache.hadoop.hdfs.server.federation.store.driver.impl.StateStoreFileImpl";
  private static final String ROUTER = "org.apache.hadoop.hdfs.server.federation.router.DFSRouter";
  private static final String ADMIN = "org.apache.hadoop.hdfs.tools.federation.RouterAdmin";

  private final Path folder;
  private final Teardown teardown;
  private final URI uri;

  private HdfsRouter(Configuration federation, Path folder, Teardown teardown) throws IOException {
    this.folder = folder;
    this.teardown = teardown;
    Set<Integer> taken = new HashSet<>();
    String address = HOST + ":" + Ports.free(taken);
    int admin = Ports.free(taken);
    uri = URI.create("hdfs://" + address);
    List<String> nameservices = List.of(federation.getTrimmedStrings("dfs.nameservices"));
    Configuration conf = conf(federation, nameservices, address, HOST + ":" + admin);
    Path files = SiteFiles.write(folder.resolve("conf"), conf);
    // Else the router's own defaults hide these.
    Files.copy(files.resolve("hdfs-site.xml"), files.resolve("hdfs-rbf-site.xml"));
    HadoopDaemon.start(
            "Router",
            jvm(ROUTER),
            folder.resolve("router.log"),
            address,
            router -> accepts(admin), // without a mount it has no path, not even the root
            START_TIME_MAX,
            teardown)
        .awaitReady();
    addMounts(nameservices);
    for (String name : nameservices) {
      await("/" + name).atMost(START_TIME_MAX).until(() -> isUp(conf, "/" + name));
    }
  }

  private Configuration conf(
      Configuration federation, List<String> nameservices, String address, String adminAddress) {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", uri.toString());
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    conf.set("dfs.nameservices", String.join(",", nameservices));
    for (String name : nameservices) {
      String key = "dfs.namenode.rpc-address." + name;
      conf.set(key, federation.get(key));
    }
    conf.set(KEYS + "rpc-address", address);
    conf.set(KEYS + "admin-address", adminAddress);
    conf.set(KEYS + "http.enable", "false"); // Maven Central has no web pages of it
    conf.set(KEYS + "store.driver.class", STORE);
    conf.set(KEYS + "store.driver.file.directory", folder.resolve("store").toString());
    conf.set(KEYS + "monitor.namenode", String.join(",", nameservices));
    conf.set(KEYS + "monitor.localnamenode.enable", "false");
    conf.set(KEYS + "safemode.enable", "false");
    conf.set(KEYS + "heartbeat.interval", "500");
    conf.set(KEYS + "cache.ttl", "200ms");
    return conf;
  }

  /**
   * Starts one; all its mounts are there when this returns.
   *
   * @param federation names nameservices of one NameNode each
   */
  public static HdfsRouter start(Configuration federation) throws IOException {
    Path folder = Files.createTempDirectory("rdio-router-").toRealPath();
    Teardown teardown = Teardown.of(folder);
    try {
      return new HdfsRouter(federation, folder, teardown);
    } catch (IOException | RuntimeException e) {
      teardown.close();
      throw e;
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private static boolean isUp(Configuration conf, String path) {
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      return fs.listStatus(new org.apache.hadoop.fs.Path(path)) != null;
    } catch (IOException notYet) {
      return false;
    }
  }

  private void addMounts(List<String> nameservices) throws IOException {
    for (String name : nameservices) {
      Path log = folder.resolve("mount-" + name + ".log");
      Process admin =
          jvm(ADMIN, "-add", "/" + name, name, "/")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      teardown.killLater(admin.pid());
      if (ProcessEnd.statusOf(admin, "adding the mount /" + name) != 0) {
        throw new IOException("no mount /" + name + ": " + Files.readString(log));
      }
    }
  }

  private ProcessBuilder jvm(String... mainClass) throws IOException {
    return HadoopJvm.of(
        folder, folder.resolve("conf"), TestClusters.hadoop("router"), OPTIONS, mainClass);
  }

  /** Where its clients find it. */
  public URI uri() {
    return uri;
  }

  /** Ends it. */
  @Override
  public void close() {
    teardown.close();
  }
}
