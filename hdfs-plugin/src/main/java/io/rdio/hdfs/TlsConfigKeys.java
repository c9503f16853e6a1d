// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import java.time.Duration;

/** The keys of TLS on the metadata plane, the same on both sides of it. Immutable. */
public final class TlsConfigKeys {
  /** The mode that has none. */
  public static final String OFF = "off";

  private final ConfigKey<String> mode;
  private final ConfigKey<String> certificate;
  private final ConfigKey<String> privateKey;
  private final ConfigKey<String> trustedCertificates;
  private final ConfigKey<Duration> reloadInterval;
  private final ConfigKey<Boolean> allowPlaintext;

  /** Those of one side, by what all of them start with. */
  TlsConfigKeys(String prefix) {
    mode = ConfigKey.word(prefix + "tls", OFF, OFF, "on", "mutual");
    certificate = ConfigKey.text(prefix + "tls.certificate", "");
    privateKey = ConfigKey.text(prefix + "tls.private.key", "");
    trustedCertificates = ConfigKey.text(prefix + "tls.trusted.certificates", "");
    reloadInterval =
        ConfigKey.time(
            prefix + "tls.reload.interval", "10s", Duration.ofMillis(10), Duration.ofDays(1));
    allowPlaintext = ConfigKey.flag(prefix + "allow.plaintext", false);
  }

  /** Off, on or mutual; by the name that all others begin with. */
  public ConfigKey<String> mode() {
    return mode;
  }

  /** PEM file. */
  public ConfigKey<String> certificate() {
    return certificate;
  }

  /** PEM file. */
  public ConfigKey<String> privateKey() {
    return privateKey;
  }

  /** PEM file. */
  public ConfigKey<String> trustedCertificates() {
    return trustedCertificates;
  }

  /** Between two looks at the files. */
  public ConfigKey<Duration> reloadInterval() {
    return reloadInterval;
  }

  /** For a Kerberized cluster without TLS. */
  public ConfigKey<Boolean> allowPlaintext() {
    return allowPlaintext;
  }
}
