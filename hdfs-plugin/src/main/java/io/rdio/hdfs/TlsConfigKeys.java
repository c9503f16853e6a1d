// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import java.time.Duration;

/**
 * The keys of TLS on the metadata plane, the same on both sides of it. What they mean is in {@link
 * TlsConfig}.
 *
 * @param mode off, on or mutual; by the name that all others begin with
 * @param certificate PEM file
 * @param privateKey PEM file
 * @param trustedCertificates PEM file
 * @param reloadInterval between two looks at the files
 * @param allowPlaintext for a Kerberized cluster without TLS
 */
public record TlsConfigKeys(
    ConfigKey<String> mode,
    ConfigKey<String> certificate,
    ConfigKey<String> privateKey,
    ConfigKey<String> trustedCertificates,
    ConfigKey<Duration> reloadInterval,
    ConfigKey<Boolean> allowPlaintext) {
  static final String OFF = "off";

  /** Those of one side. */
  static TlsConfigKeys of(String prefix) {
    return new TlsConfigKeys(
        ConfigKey.word(prefix + "tls", OFF, OFF, "on", "mutual"),
        ConfigKey.text(prefix + "tls.certificate", ""),
        ConfigKey.text(prefix + "tls.private.key", ""),
        ConfigKey.text(prefix + "tls.trusted.certificates", ""),
        ConfigKey.time(
            prefix + "tls.reload.interval", "10s", Duration.ofMillis(10), Duration.ofDays(1)),
        ConfigKey.flag(prefix + "allow.plaintext", false));
  }
}
