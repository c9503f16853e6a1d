// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.METADATA_PLANE_BACKOFF;
import static io.rdio.core.FallbackReason.TLS_FAILED;
import static io.rdio.core.FallbackReason.TLS_REQUIRED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.TestAuthority;
import io.rdio.core.testing.TestAuthority.Identity;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * TLS between a real DataNode on the jar that users install and real readers; and impostors on the
 * port: the right bytes each time, by the device or, with its reason counted, by stock HDFS.
 */
@Tag("loop")
class TlsIT {
  private static final int BLOCK = 1 << 20;
  private static final int BLOCKS = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String HOST = "127.0.0.1";
  private static final Map<FallbackReason, Long> REFUSED_FOR_TLS =
      Map.of(TLS_FAILED, 1L, METADATA_PLANE_BACKOFF, BLOCKS - 1L);

  @TempDir static Path folder;

  private static final TestAuthority AUTHORITY = new TestAuthority("authority");
  private static final TestAuthority STRANGER = new TestAuthority("stranger");
  private static Cluster cluster;
  private static TlsFiles files;
  private static FileSystem stock;
  private static SeededFile file;
  private static int pluginPort;
  private static Configuration plainDataNode;
  private static Map<String, String> serving = Map.of();

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(256L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("dfs.client.rdio.rpc.timeout", "10s")
            .set("dfs.client.rdio.datanode.backoff", "1500ms")
            .start();
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", BLOCKS * BLOCK, 1);
    files = new TlsFiles(folder);
    pluginPort = cluster.clientConf(true).getInt("dfs.client.rdio.datanode.port", 0);
    plainDataNode = new Configuration(false);
    plainDataNode.addResource(
        new org.apache.hadoop.fs.Path(dataNodeConf().resolve("hdfs-site.xml").toUri()));
    plainDataNode.size(); // reads it now, before it is written anew
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  private static Path dataNodeConf() {
    return cluster.folder().resolve("conf-datanode0");
  }

  /** Restarts the DataNode with these keys besides its own. */
  private static void restartWith(Map<String, String> keys) throws IOException {
    cluster.dataNode(0).stop();
    Configuration conf = new Configuration(plainDataNode);
    keys.forEach(conf::set);
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      try (OutputStream out = Files.newOutputStream(dataNodeConf().resolve(name))) {
        conf.writeXml(out);
      }
    }
    cluster.dataNode(0).start();
    serving = keys;
  }

  /** The DataNode with mutual TLS by PEM files; it is restarted only if it is not. */
  private static Map<String, String> servePem() throws IOException {
    if (!serving.containsKey("dfs.datanode.rdio.tls.certificate")) {
      restartWith(files.pem("datanode", "mutual", AUTHORITY.issue(HOST), AUTHORITY));
    }
    return serving;
  }

  private static Object metric(String name) throws IOException {
    return cluster.dataNode(0).jmx("Hadoop:name=RdioDataNode-*,*").get(name);
  }

  private static Map<String, String> mutualClient(TestAuthority issuer, TestAuthority trusted) {
    return files.pem("client", "mutual", issuer.issue("client"), trusted);
  }

  private static void awaitReadByRdio(Map<String, String> keys) throws IOException {
    try (RdioClient client = RdioClient.of(cluster, TlsFiles.inTurn(keys))) {
      Counts.awaitReadByRdio(client.fs(), file, PATIENCE);
    }
  }

  private static Map<FallbackReason, Long> readByStock(Map<String, String> keys)
      throws IOException {
    try (RdioClient client = RdioClient.of(cluster, TlsFiles.inTurn(keys))) {
      return client.readByStock(file);
    }
  }

  @Test
  void mutualTlsByPemFiles() throws IOException {
    servePem();
    awaitReadByRdio(mutualClient(AUTHORITY, AUTHORITY));
    Map<String, String> nameless = mutualClient(AUTHORITY, AUTHORITY);
    nameless.put("dfs.client.rdio.tls", "on");
    assertThat(readByStock(nameless)).as("no certificate shown").isEqualTo(REFUSED_FOR_TLS);
    assertThat(readByStock(mutualClient(STRANGER, AUTHORITY)))
        .as("a certificate of an authority that the DataNode does not know")
        .isEqualTo(REFUSED_FOR_TLS);
    assertThat(readByStock(Map.of()))
        .as("plain text")
        .isEqualTo(Map.of(TLS_REQUIRED, 1L, METADATA_PLANE_BACKOFF, BLOCKS - 1L));
    String log = Files.readString(cluster.dataNode(0).log(), UTF_8);
    String served = log.substring(log.lastIndexOf("RDIO serves file maps"));
    assertThat(served.split("cannot use the metadata plane", -1))
        .as("told once in ten minutes")
        .hasSize(2);
    assertThat(served).as("no trace for a stranger").doesNotContain("\tat ");
  }

  /** Netty, gRPC and protobuf are others' classes in the jar that users install. */
  @Test
  void theShadedJarIsAClientToo() throws Exception {
    servePem();
    Map<String, String> keys = new TreeMap<>(mutualClient(AUTHORITY, AUTHORITY));
    keys.put("dfs.client.rdio.rpc.timeout", "30s");
    Process doctor =
        cluster
            .jvm(
                cluster.addConfFolder("conf-tls", true, keys),
                List.of("-Xmx256m"),
                "io.rdio.hdfs.cli.Rdio",
                "doctor",
                file.path().toString())
            .redirectErrorStream(true)
            .start();
    cluster.killLater(doctor);
    ProcessEnd end = ProcessEnd.of(doctor, "rdio doctor");
    assertThat(end.status()).as(end.output()).isZero();
    assertThat(end.output()).contains("ok     plugin", "all of them from the device");
  }

  @Test
  void aCertificateIsReplacedWhileItServes() throws IOException {
    Map<String, String> keys = servePem();
    Map<String, String> newcomer = mutualClient(AUTHORITY, STRANGER);
    try (RdioClient connected =
        RdioClient.of(cluster, TlsFiles.inTurn(mutualClient(AUTHORITY, AUTHORITY)))) {
      Counts.awaitReadByRdio(connected.fs(), file, PATIENCE);
      assertThat(readByStock(newcomer)).isEqualTo(REFUSED_FOR_TLS);
      TlsFiles.replace(keys, "datanode", STRANGER.issue(HOST));
      awaitReadByRdio(newcomer);
      connected.readByRdio(file);
    } finally {
      TlsFiles.replace(keys, "datanode", AUTHORITY.issue(HOST));
    }
    awaitReadByRdio(mutualClient(AUTHORITY, AUTHORITY));
  }

  @Test
  void impostorsAreToldNothing() throws IOException {
    impostor(AUTHORITY.issue("other.example"));
    impostor(STRANGER.issue(HOST));
    impostor(
        AUTHORITY.issue(Instant.now().minusSeconds(900), Instant.now().minusSeconds(60), HOST));
    impostor(null);
  }

  private static void impostor(@Nullable Identity identity) throws IOException {
    try (TlsImpostor impostor = new TlsImpostor(0, identity)) {
      Map<String, String> keys = mutualClient(AUTHORITY, AUTHORITY);
      keys.put("dfs.client.rdio.datanode.port", Integer.toString(impostor.port()));
      assertThat(readByStock(keys)).as("%s", identity).isEqualTo(REFUSED_FOR_TLS);
      assertThat(impostor.calls()).isZero();
    }
  }

  /**
   * The DataNode comes back while an impostor has its port, and then with a certificate that is no
   * good: it says so, stock HDFS serves, and it comes up by itself once that is mended.
   */
  @Test
  void aTakenPortAndAnExpiredKeystore() throws Exception {
    Instant now = Instant.now();
    Identity expired = AUTHORITY.issue(now.minusSeconds(900), now.minusSeconds(60), HOST);
    files.stores("server", "jks", expired, AUTHORITY, dataNodeConf());
    Path client = Files.createDirectories(folder.resolve("client-conf"));
    files.stores("client", "pkcs12", AUTHORITY.issue("client"), AUTHORITY, client);
    cluster.dataNode(0).stop();
    try (TlsImpostor impostor = new TlsImpostor(pluginPort, STRANGER.issue(HOST))) {
      restartWith(
          Map.of("dfs.datanode.rdio.tls", "on", "dfs.datanode.rdio.tls.reload.interval", "100ms"));
      awaitFailure("ssl.server.keystore.location", "expired on");
      files.stores("server", "jks", AUTHORITY.issue(HOST), AUTHORITY, dataNodeConf());
      awaitFailure("cannot listen on", Integer.toString(pluginPort));
      assertThat(readByStock(mutualClient(AUTHORITY, AUTHORITY))).isEqualTo(REFUSED_FOR_TLS);
      assertThat(impostor.calls()).isZero();
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(metric("PluginUp")).isEqualTo(1));
    assertThat(metric("tag.StartFailure")).isEqualTo("");
    readWithClassPath(client, "on");
    restartWith(Map.of("dfs.datanode.rdio.tls", "mutual"));
    readWithClassPath(client, "mutual");
  }

  private static void awaitFailure(String... texts) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(metric("PluginUp")).isEqualTo(0);
              assertThat(metric("tag.StartFailure").toString()).contains(texts);
            });
  }

  /** Reads with the ssl-client.xml of a folder. */
  private static void readWithClassPath(Path conf, String mode) throws IOException {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {conf.toUri().toURL()}, before)) {
      Thread.currentThread().setContextClassLoader(loader);
      awaitReadByRdio(Map.of("dfs.client.rdio.tls", mode));
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
