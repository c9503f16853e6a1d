// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.tls.NamedFile;
import io.rdio.core.tls.PemFiles;
import io.rdio.core.tls.Secret;
import io.rdio.core.tls.StoreFiles;
import io.rdio.core.tls.TlsMode;
import io.rdio.core.tls.TlsSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsConfigTest {
  private final Configuration conf = new Configuration(false);

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "simple, off, false, false",
    "kerberos, off, false, true",
    "KERBEROS, OFF, false, true",
    "kerberos, off, true, false",
    "kerberos, on, false, false",
    "kerberos, mutual, false, false"
  })
  void kerberosWantsTlsUnlessAKeySaysOtherwise(
      String authentication, String tls, boolean allow, boolean missing) {
    conf.set("hadoop.security.authentication", authentication);
    for (String prefix : new String[] {"dfs.client.rdio.", "dfs.datanode.rdio."}) {
      conf.set(prefix + "tls", tls);
      conf.setBoolean(prefix + "allow.plaintext", allow);
    }
    for (TlsConfig side : TlsConfig.values()) {
      assertThat(side.isMissing(conf)).isEqualTo(missing);
    }
    assertThat(TlsConfig.CLIENT.missing())
        .contains("dfs.client.rdio.tls", "dfs.client.rdio.allow.plaintext");
  }

  @Test
  void pemFilesThatTheModeNeeds() {
    conf.set("dfs.client.rdio.tls", "On");
    conf.set("dfs.client.rdio.tls.trusted.certificates", "/ca.pem");
    conf.set("dfs.client.rdio.tls.reload.interval", "3s");
    NamedFile trusted =
        new NamedFile("dfs.client.rdio.tls.trusted.certificates", Path.of("/ca.pem"));
    assertThat(TlsConfig.CLIENT.settings(conf))
        .isEqualTo(
            new TlsSettings(TlsMode.ON, new PemFiles(null, null, trusted), Duration.ofSeconds(3)));
    conf.set("dfs.client.rdio.tls", "mutual");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsConfig.CLIENT.settings(conf))
        .withMessageContaining("dfs.client.rdio.tls.certificate is not set");
  }

  @ParameterizedTest
  @CsvSource({
    "tls, yes, use off",
    "tls, '', use off",
    "tls.reload.interval, 1ms, from 10ms",
    "tls.reload.interval, soon, from 10ms",
    "tls.certificate, '', tls.certificate is not set",
  })
  void aWrongValueIsNamedWithItsKey(String key, String value, String said) {
    conf.set("dfs.datanode.rdio.tls", "on");
    conf.set("dfs.datanode.rdio.tls.certificate", "/certificate.pem");
    conf.set("dfs.datanode.rdio.tls.private.key", "/key.pem");
    conf.set("dfs.datanode.rdio." + key, value);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsConfig.DATANODE.settings(conf))
        .withMessageContaining("dfs.datanode.rdio." + key)
        .withMessageContaining(said);
  }

  @Test
  void nothingIsNamedAnywhere() {
    conf.set("dfs.client.rdio.tls", "on");
    conf.set("hadoop.ssl.client.conf", "no-such-file.xml");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsConfig.CLIENT.settings(conf))
        .withMessageContaining("dfs.client.rdio.tls.trusted.certificates")
        .withMessageContaining("ssl.client.truststore.location in no-such-file.xml");
  }

  /** As Hadoop has it: an ssl-server.xml on the class path, passwords where its keys say. */
  @Test
  void keystoresOfHadoopWithPasswordsOfAProvider() throws Exception {
    String providers = "jceks://file" + folder.resolve("passwords.jceks");
    Configuration site = new Configuration(false);
    site.set(CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH, providers);
    CredentialProvider provider = CredentialProviderFactory.getProviders(site).get(0);
    provider.createCredentialEntry("ssl.server.keystore.password", "store".toCharArray());
    provider.createCredentialEntry("ssl.server.keystore.keypassword", "key".toCharArray());
    provider.flush();
    Path file = folder.resolve("ssl-server-of-test.xml");
    Configuration ssl = new Configuration(false);
    ssl.set("ssl.server.keystore.location", "/keys.jks");
    ssl.set("ssl.server.truststore.location", "/trust.p12");
    ssl.set("ssl.server.truststore.type", "pkcs12");
    ssl.set("ssl.server.truststore.password", "trust");
    try (var out = Files.newOutputStream(file)) {
      ssl.writeXml(out);
    }
    conf.set(CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH, providers);
    conf.set("hadoop.ssl.server.conf", file.getFileName().toString());
    conf.set("dfs.datanode.rdio.tls", "mutual");
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (var loader =
        new java.net.URLClassLoader(new java.net.URL[] {folder.toUri().toURL()}, before)) {
      Thread.currentThread().setContextClassLoader(loader);
      assertThat(TlsConfig.DATANODE.settings(conf).keys())
          .isEqualTo(
              new StoreFiles(
                  store("keystore", "/keys.jks", "jks", "store", "key"),
                  store("truststore", "/trust.p12", "pkcs12", "trust", "trust")));
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static StoreFiles.Store store(
      String kind, String path, String type, String password, String keyPassword) {
    return new StoreFiles.Store(
        new NamedFile("ssl.server." + kind + ".location in ssl-server-of-test.xml", Path.of(path)),
        type,
        new Secret(password.toCharArray()),
        new Secret(keyPassword.toCharArray()));
  }
}
