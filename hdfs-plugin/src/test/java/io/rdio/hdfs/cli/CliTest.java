// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands say where there is no cluster: cause and fix, and no stack trace. */
class CliTest {
  private static final String NO_NAME_NODE = "-Dfs.defaultFS=hdfs://127.0.0.1:1";

  @ParameterizedTest
  @ValueSource(strings = {"leases", "stat"})
  void nameNodeThatIsNotThere(String command) {
    CliRun run = CliRun.of(command, NO_NAME_NODE);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err())
        .contains("127.0.0.1:1")
        .contains("Connection refused")
        .doesNotContain("    at ");
  }

  @Test
  void doctorWithoutAClusterStillNamesTheKeys() {
    CliRun run = CliRun.of("doctor", NO_NAME_NODE);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("WRONG  hook")
        .contains("WRONG  switch")
        .contains("DISABLED")
        .contains("WRONG  NameNode")
        .contains("note   BTF", "note   tracefs", "note   TP_BTF")
        .contains("fix: ");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void doctorExplainsABadValue() {
    CliRun run = CliRun.of("doctor", NO_NAME_NODE, "-D", "dfs.client.rdio.rpc.timeout=soon");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("CONFIGURATION_INVALID", "dfs.client.rdio.rpc.timeout", "soon");
  }

  @Test
  void doctorNamesTheEncryptionRule() {
    CliRun run = CliRun.of("doctor", NO_NAME_NODE, "-Ddfs.encrypt.data.transfer=true");
    assertThat(run.out()).contains("ENCRYPTION_REQUIRED");
  }

  @Test
  void defaultFileSystemThatIsNoHdfs() {
    CliRun run = CliRun.of("map", "-Dfs.defaultFS=file:///", "/etc/hosts");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("is no HDFS; fix: set HADOOP_CONF_DIR");
  }

  @Test
  void nameserviceThatNothingNames() {
    CliRun run = CliRun.of("map", "hdfs://no-such-service.invalid/file");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("no-such-service.invalid").doesNotContain("    at ");
  }

  @Test
  void configurationFileThatIsMissing() {
    CliRun run = CliRun.of("stat", "-conf", "/nonexistent.xml");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("-conf /nonexistent.xml: no such file");
  }

  @Test
  void ktraceWithoutAStorageNodesAddress() {
    CliRun run = CliRun.of("ktrace", "--storage", "nowhere");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--storage nowhere is not of the form HOST:PORT");
  }

  @Test
  void demoIsInCheckoutsOnly() {
    CliRun run = CliRun.of("demo");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("'demo'").contains("In a checkout also: demo,");
    assertThat(CliRun.of("--help").out()).contains("  prefcache ").doesNotContain("  demo ");
  }

  @Test
  void wrongUsage() {
    assertThat(CliRun.of("map").status()).isEqualTo(2);
    assertThat(CliRun.of("ktrace").status()).isEqualTo(2);
  }
}
