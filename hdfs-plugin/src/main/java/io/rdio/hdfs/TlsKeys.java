// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import io.rdio.core.tls.KeySource;
import io.rdio.core.tls.NamedFile;
import io.rdio.core.tls.PemFiles;
import io.rdio.core.tls.Secret;
import io.rdio.core.tls.StoreFiles;
import io.rdio.core.tls.TlsMode;
import io.rdio.core.tls.TlsSettings;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.jspecify.annotations.Nullable;

/** The keys of TLS of one side, where it is on: those for PEM files, else Hadoop's own. */
final class TlsKeys {
  private static final String STORE_TYPE_DEFAULT = "jks";
  private static final String PROVIDERS = CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH;

  private final Configuration conf;
  private final String prefix;
  private final boolean server;
  private final TlsMode mode;

  private TlsKeys(Configuration conf, String prefix, boolean server) {
    this.conf = conf;
    this.prefix = prefix;
    this.server = server;
    this.mode = mode();
  }

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException that names the key, its value and what is allowed
   */
  static TlsSettings read(Configuration conf, String prefix, boolean server) {
    TlsKeys keys = new TlsKeys(conf, prefix, server);
    return new TlsSettings(keys.mode, keys.source(), keys.reloadInterval());
  }

  private String key(String name) {
    return prefix + name;
  }

  private String value(String name) {
    return conf.getTrimmed(key(name), "");
  }

  private KeySource source() {
    boolean pem =
        !value("tls.certificate").isEmpty()
            || !value("tls.private.key").isEmpty()
            || !value("tls.trusted.certificates").isEmpty();
    return pem ? pem() : stores();
  }

  private TlsMode mode() {
    try {
      return TlsMode.valueOf(value("tls").toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          key("tls") + " is '" + value("tls") + "'; set it to off, on or mutual", e);
    }
  }

  private Duration reloadInterval() {
    String key = key("tls.reload.interval");
    String value = conf.getTrimmed(key, RdioConfigKeys.CLIENT_TLS_RELOAD_INTERVAL_DEFAULT);
    try {
      long millis =
          conf.getTimeDuration(
              key, RdioConfigKeys.CLIENT_TLS_RELOAD_INTERVAL_DEFAULT, TimeUnit.MILLISECONDS);
      if (millis >= 10 && millis <= TimeUnit.DAYS.toMillis(1)) {
        return Duration.ofMillis(millis);
      }
    } catch (NumberFormatException e) {
      // Said below, with the key.
    }
    throw new IllegalArgumentException(
        key + " is '" + value + "'; set it to a time from 10ms to 1d, for example 10s");
  }

  private boolean provesItself() {
    return server || mode == TlsMode.MUTUAL;
  }

  private boolean demandsProof() {
    return !server || mode == TlsMode.MUTUAL;
  }

  private PemFiles pem() {
    return new PemFiles(
        provesItself() ? pemFile("tls.certificate") : null,
        provesItself() ? pemFile("tls.private.key") : null,
        demandsProof() ? pemFile("tls.trusted.certificates") : null);
  }

  private NamedFile pemFile(String name) {
    String value = value(name);
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          key(name)
              + " is not set, and "
              + key("tls")
              + " is "
              + mode.name().toLowerCase(Locale.ROOT)
              + "; name a PEM file");
    }
    return file(key(name), value);
  }

  private static NamedFile file(String key, String value) {
    try {
      return new NamedFile(key, Path.of(value));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(key + " is '" + value + "'; name a file", e);
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
          key("tls")
              + " is "
              + value("tls")
              + ", but neither "
              + key(kind.equals("keystore") ? "tls.certificate" : "tls.trusted.certificates")
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
