// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** What keeps the plugin from opening its port for the sake of TLS. */
final class ServerTlsTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void kerberosWithoutTls() throws Exception {
    assertThat(ServerTls.open(conf)).isNull();
    conf.set("hadoop.security.authentication", "kerberos");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ServerTls.open(conf))
        .withMessageContaining("dfs.datanode.rdio.tls is off")
        .withMessageContaining("set it to on or mutual, or dfs.datanode.rdio.allow.plaintext");
    conf.setBoolean("dfs.datanode.rdio.allow.plaintext", true);
    assertThat(ServerTls.open(conf)).isNull();
  }

  /** May be put there while the DataNode runs. */
  @Test
  void aFileThatIsMissingIsTriedAgain() {
    conf.set("dfs.datanode.rdio.tls", "on");
    conf.set("dfs.datanode.rdio.tls.certificate", "/no/such.pem");
    conf.set("dfs.datanode.rdio.tls.private.key", "/no/such.key");
    assertThatExceptionOfType(NotYetException.class)
        .isThrownBy(() -> ServerTls.open(conf))
        .withMessageContaining("dfs.datanode.rdio.tls.certificate is '/no/such.pem'");
  }
}
