// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.tls;

import io.rdio.core.tls.KeySource;
import io.rdio.core.tls.NamedFile;
import io.rdio.core.tls.PemFiles;
import io.rdio.core.tls.Secret;
import io.rdio.core.tls.StoreFiles;
import io.rdio.core.tls.TlsMode;
import io.rdio.core.tls.TlsSettings;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.TlsConfigKeys;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.jspecify.annotations.Nullable;

/** The keys of TLS of one side, where it is on: those for PEM files, else Hadoop's own. */
final class TlsKeys {
  private static final String STORE_TYPE_DEFAULT = "jks";
  private static final String PROVIDERS = CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH;

  private final Configuration conf;
  private final TlsConfigKeys keys;
  private final boolean server;
  private final TlsMode mode;

  private TlsKeys(Configuration conf, TlsConfigKeys keys, boolean server) {
    this.conf = conf;
    this.keys = keys;
    this.server = server;
    this.mode = TlsMode.valueOf(keys.mode().get(conf).toUpperCase(Locale.ROOT));
  }

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  static TlsSettings read(Configuration conf, TlsConfigKeys keys, boolean server) {
    TlsKeys read = new TlsKeys(conf, keys, server);
    return new TlsSettings(read.mode, read.source(), keys.reloadInterval().get(conf));
  }

  private KeySource source() {
    boolean pem =
        keys.certificate().isSet(conf)
            || keys.privateKey().isSet(conf)
            || keys.trustedCertificates().isSet(conf);
    return pem ? pem() : stores();
  }

  private boolean provesItself() {
    return server || mode == TlsMode.MUTUAL;
  }

  private boolean demandsProof() {
    return !server || mode == TlsMode.MUTUAL;
  }

  private PemFiles pem() {
    return new PemFiles(
        provesItself() ? pemFile(keys.certificate()) : null,
        provesItself() ? pemFile(keys.privateKey()) : null,
        demandsProof() ? pemFile(keys.trustedCertificates()) : null);
  }

  private NamedFile pemFile(ConfigKey<String> key) {
    if (!key.isSet(conf)) {
      throw new IllegalArgumentException(
          key
              + " is not set, and "
              + keys.mode()
              + " is "
              + mode.name().toLowerCase(Locale.ROOT)
              + "; name a PEM file");
    }
    return file(key.name(), key.get(conf));
  }

  private static NamedFile file(String key, String value) {
    try {
      return new NamedFile(key, Path.of(value));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(key + " is '" + value + "': use the path of a file", e);
    }
  }

  private StoreFiles stores() {
    Configuration ssl =
        SSLFactory.readSSLConfiguration(
            conf, server ? SSLFactory.Mode.SERVER : SSLFactory.Mode.CLIENT);
    if (ssl != conf && ssl.get(PROVIDERS) == null && conf.get(PROVIDERS) != null) {
      ssl.set(PROVIDERS, conf.get(PROVIDERS));
    }
    return new StoreFiles(
        provesItself() ? store(ssl, "keystore") : null,
        demandsProof() ? store(ssl, "truststore") : null);
  }

  private StoreFiles.Store store(Configuration ssl, String kind) {
    String name = "ssl." + (server ? "server." : "client.") + kind;
    String location = ssl.getTrimmed(name + ".location", "");
    String in =
        server
            ? conf.get(SSLFactory.SSL_SERVER_CONF_KEY, SSLFactory.SSL_SERVER_CONF_DEFAULT)
            : conf.get(SSLFactory.SSL_CLIENT_CONF_KEY, SSLFactory.SSL_CLIENT_CONF_DEFAULT);
    if (location.isEmpty()) {
      throw new IllegalArgumentException(
          keys.mode()
              + " is "
              + keys.mode().get(conf)
              + ", but neither "
              + (kind.equals("keystore") ? keys.certificate() : keys.trustedCertificates())
              + " nor "
              + name
              + ".location in "
              + in
              + " is set; set one of them");
    }
    Secret password = password(ssl, name + ".password", null);
    return new StoreFiles.Store(
        file(name + ".location in " + in, location),
        ssl.getTrimmed(name + ".type", STORE_TYPE_DEFAULT),
        password,
        password(ssl, name + ".keypassword", password));
  }

  /** From a credential provider or the configuration itself, as Hadoop has it. */
  private static Secret password(Configuration ssl, String key, @Nullable Secret otherwise) {
    try {
      char[] value = ssl.getPassword(key);
      if (value != null) {
        return new Secret(value);
      }
      return otherwise == null ? new Secret(new char[0]) : otherwise;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          key
              + " cannot be had of the credential provider '"
              + ssl.get(PROVIDERS)
              + "': "
              + e.getMessage()
              + "; mend the provider, or "
              + PROVIDERS,
          e);
    }
  }
}
