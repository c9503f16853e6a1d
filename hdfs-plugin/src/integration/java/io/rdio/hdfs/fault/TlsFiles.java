// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.core.testing.TestAuthority;
import io.rdio.core.testing.TestAuthority.Identity;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/** Certificates and keys in files as users have them, and the keys that name them. */
public final class TlsFiles {
  static final String PASSWORD = "open-sesame";

  private final Path folder;
  private int count;

  public TlsFiles(Path folder) {
    this.folder = folder;
  }

  /** PEM files and the keys of one side, {@code client} or {@code datanode}, that name them. */
  Map<String, String> pem(String side, String mode, Identity own, TestAuthority trusted) {
    Path base = folder.resolve("pem" + count++);
    own.writePem(Path.of(base + ".certificate"), Path.of(base + ".key"));
    trusted.writePem(Path.of(base + ".trusted"));
    String prefix = "dfs." + side + ".rdio.tls";
    Map<String, String> keys = new TreeMap<>();
    keys.put(prefix, mode);
    keys.put(prefix + ".certificate", base + ".certificate");
    keys.put(prefix + ".private.key", base + ".key");
    keys.put(prefix + ".trusted.certificates", base + ".trusted");
    keys.put(prefix + ".reload.interval", "100ms");
    return keys;
  }

  /** Writes another identity into the files that {@link #pem} named. */
  static void replace(Map<String, String> keys, String side, Identity identity) {
    String prefix = "dfs." + side + ".rdio.tls";
    identity.writePem(
        Path.of(keys.get(prefix + ".certificate")), Path.of(keys.get(prefix + ".private.key")));
  }

  /**
   * Writes keystores, and Hadoop's ssl-server.xml or ssl-client.xml with their places.
   *
   * @param side {@code server} or {@code client}
   * @param conf a folder of the class path
   */
  public void stores(String side, String type, Identity own, TestAuthority trusted, Path conf)
      throws IOException {
    Path keys = folder.resolve(side + "-keys");
    Path trust = folder.resolve(side + "-trust");
    own.writeStore(keys, type, PASSWORD, PASSWORD);
    trusted.writeTruststore(trust, type, PASSWORD);
    Configuration ssl = new Configuration(false);
    for (String store : List.of("keystore", "truststore")) {
      String prefix = "ssl." + side + "." + store;
      ssl.set(prefix + ".location", (store.equals("keystore") ? keys : trust).toString());
      ssl.set(prefix + ".type", type);
      ssl.set(prefix + ".password", PASSWORD);
    }
    try (OutputStream out = Files.newOutputStream(conf.resolve("ssl-" + side + ".xml"))) {
      ssl.writeXml(out);
    }
  }

  /** As {@link RdioClient#of} takes them. */
  static String[] inTurn(Map<String, String> keys) {
    List<String> all = new ArrayList<>();
    keys.forEach(
        (key, value) -> {
          all.add(key);
          all.add(value);
        });
    return all.toArray(String[]::new);
  }
}
