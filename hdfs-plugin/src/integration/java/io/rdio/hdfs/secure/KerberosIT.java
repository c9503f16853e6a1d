// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.secure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdio.core.testing.Requirements;
import io.rdio.core.testing.TestAuthority;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.DataNodeConf;
import io.rdio.hdfs.fault.TlsFiles;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.secure.SecureUsers.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster with Kerberos, block tokens, authenticated data transfer, and TLS on the metadata plane
 * from Hadoop's own ssl-server.xml and ssl-client.xml; users and agents in JVMs of their own.
 */
@Tag("loop")
@TestMethodOrder(OrderAnnotation.class)
class KerberosIT {
  private static final String REALM = "@EXAMPLE.COM";
  private static final String HDFS = "hdfs/localhost" + REALM;
  private static final String HTTP = "HTTP/localhost" + REALM;
  private static final String AGENT = "rdio/localhost" + REALM;
  private static final String ALICE = "alice" + REALM;
  private static final String BOB = "bob" + REALM;
  private static final String HERS = "/home/alice";
  private static final String HIS = "/home/bob";
  private static final Result DENIED = new Result("AccessControlException", 0, 0, "{}");

  @TempDir static Path folder;
  private static KdcProcess kdc;
  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Requirements.requireLoop("ext4");
    kdc = KdcProcess.start(folder, List.of(HDFS, HTTP, AGENT, ALICE, BOB));
    cluster = withKerberos(TestClusters.builder().classPath(classPathWithSslFiles())).start();
    run("", HDFS + " folder /home", ALICE + " write " + HERS, BOB + " write " + HIS);
  }

  private static HadoopClassPath classPathWithSslFiles() throws IOException {
    TestAuthority authority = new TestAuthority("authority");
    TlsFiles files = new TlsFiles(folder);
    Path ssl = Files.createDirectory(folder.resolve("ssl"));
    files.stores("server", "jks", authority.issue("127.0.0.1"), authority, ssl);
    files.stores("client", "pkcs12", authority.issue("client"), authority, ssl);
    return TestClusters.withAllOfRdio("hadoop-3.5").with(ssl.toString());
  }

  private static ClusterBuilder withKerberos(ClusterBuilder builder) {
    for (String daemon : List.of("namenode", "datanode")) {
      builder
          .set("dfs." + daemon + ".kerberos.principal", HDFS)
          .set("dfs." + daemon + ".keytab.file", kdc.keytab().toString());
    }
    return builder
        .option("-Djava.security.krb5.conf=" + kdc.conf())
        .volumeBytes(256L << 20)
        .set("dfs.blocksize", Integer.toString(1 << 20))
        .set("dfs.namenode.fs-limits.min-block-size", "0")
        .set("hadoop.security.authentication", "kerberos")
        .set("dfs.block.access.token.enable", "true")
        .set("dfs.data.transfer.protection", "authentication")
        .set("ignore.secure.ports.for.testing", "true")
        .set("dfs.namenode.kerberos.internal.spnego.principal", HTTP)
        .set("dfs.web.authentication.kerberos.principal", HTTP)
        .set("dfs.web.authentication.kerberos.keytab", kdc.keytab().toString())
        .set("dfs.namenode.delegation.token.renew-interval", "8000")
        .set(
            "hadoop.user.group.static.mapping.overrides",
            "rdio=supergroup;hdfs=supergroup;alice=;bob=")
        .set("dfs.client.rdio.rpc.timeout", "20s")
        .set("dfs.client.rdio.tls", "on")
        .set("dfs.datanode.rdio.tls", "on");
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
    if (kdc != null) {
      kdc.close();
    }
  }

  /** With the clients' keys, and with one more if it is not empty. */
  private static List<Result> run(String keyAndValue, String... actions) throws Exception {
    Path conf = cluster.confFolder(true);
    if (!keyAndValue.isEmpty()) {
      String[] pair = keyAndValue.split("=", -1);
      conf = cluster.addConfFolder("conf-" + keyAndValue, true, Map.of(pair[0], pair[1]));
    }
    return SecureUsers.run(cluster, conf, kdc, actions);
  }

  private static String crc(String path) {
    return Long.toString(ReadOnce.crcOf(SecureUsers.content(path)));
  }

  private static Result byDevice(String path) {
    return new Result(crc(path), SecureUsers.LENGTH, 0, "{}");
  }

  private static Result byAgent(String path) {
    return new Result(crc(path), SecureUsers.LENGTH, SecureUsers.LENGTH, "{}");
  }

  @Test
  @Order(1)
  void usersOfOneJvmReadTheirOwnFilesAndNoOthers() throws Exception {
    assertThat(
            run(
                "",
                ALICE + " read " + HERS,
                BOB + " read " + HIS,
                BOB + " read " + HERS,
                ALICE + " read " + HIS,
                ALICE + " read " + HERS))
        .containsExactly(byDevice(HERS), byDevice(HIS), DENIED, DENIED, byDevice(HERS));
  }

  @Test
  @Order(2)
  void tasksReadAsLongAsTheirDelegationTokenIsGood() throws Exception {
    assertThat(run("", ALICE + " tokens " + HERS))
        .containsExactly(byDevice(HERS), byDevice(HERS), new Result("InvalidToken", 0, 0, "{}"));
  }

  @Test
  @Order(3)
  void agentLogsInFromItsKeytab() throws Exception {
    try (AgentProcess agent =
        AgentProcess.start(cluster, List.of(), agentKeys(kdc.keytab().toString(), AGENT))) {
      Path conf = agent.clientConf("dfs.client.rdio.agent", "required");
      assertThat(
              SecureUsers.run(
                  cluster,
                  conf,
                  kdc,
                  ALICE + " read " + HERS,
                  BOB + " read " + HIS,
                  BOB + " read " + HERS))
          .containsExactly(byAgent(HERS), byAgent(HIS), DENIED);
    }
  }

  private static Map<String, String> agentKeys(String keytab, String principal) {
    return Map.of(
        "dfs.rdio.agent.keytab.file", keytab, "dfs.rdio.agent.kerberos.principal", principal);
  }

  @Test
  @Order(4)
  void agentThatCannotLogInSaysSoAndEnds() {
    assertThatIOException()
        .isThrownBy(
            () -> AgentProcess.start(cluster, List.of(), agentKeys("/nonexistent/keytab", AGENT)))
        .withMessageContaining("dfs.rdio.agent.keytab.file=/nonexistent/keytab");
  }

  /** Last, for the DataNode serves plain text afterwards. */
  @Test
  @Order(5)
  void plainTextIsRefusedUnlessBothSidesAllowIt() throws Exception {
    Result byStock = run("dfs.client.rdio.tls=off", ALICE + " read " + HERS).get(0);
    assertThat(byStock.outcome()).isEqualTo(crc(HERS));
    assertThat(byStock.rdioBytes()).isZero();
    assertThat(byStock.reasons()).isEqualTo("{TLS_REQUIRED=3}");

    DataNodeConf dataNode = new DataNodeConf(cluster);
    cluster.dataNode(0).stop();
    dataNode.set("dfs.datanode.rdio.tls", "off");
    cluster.dataNode(0).start();
    Map<String, Object> metrics = cluster.dataNode(0).jmx("Hadoop:name=RdioDataNode-*,*");
    assertThat(metrics.get("PluginUp")).isEqualTo(0);
    assertThat(metrics.get("tag.StartFailure").toString())
        .contains("dfs.datanode.rdio.tls", "dfs.datanode.rdio.allow.plaintext");

    cluster.dataNode(0).stop();
    dataNode.set("dfs.datanode.rdio.allow.plaintext", "true");
    cluster.dataNode(0).start();
    Path conf =
        cluster.addConfFolder(
            "conf-plaintext",
            true,
            Map.of("dfs.client.rdio.tls", "off", "dfs.client.rdio.allow.plaintext", "true"));
    assertThat(SecureUsers.run(cluster, conf, kdc, ALICE + " read " + HERS))
        .containsExactly(byDevice(HERS));
  }
}
