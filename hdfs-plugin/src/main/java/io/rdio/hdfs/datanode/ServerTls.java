// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.tls.TlsContext;
import io.rdio.core.tls.TlsException;
import io.rdio.core.tls.TlsSettings;
import io.rdio.hdfs.tls.TlsConfig;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/** The TLS of the plugin's port. */
final class ServerTls {
  private ServerTls() {}

  /**
   * Loads it; its files are watched from now on.
   *
   * @return to be closed; null for plain text
   * @throws IllegalArgumentException that names a key and its wrong value, or that TLS is off where
   *     the cluster is Kerberized
   * @throws NotYetException that names a file with certificates or keys that cannot be used
   */
  static @Nullable TlsContext open(Configuration conf) throws NotYetException {
    if (TlsConfig.DATANODE.isMissing(conf)) {
      throw new IllegalArgumentException(TlsConfig.DATANODE.missing());
    }
    TlsSettings settings = TlsConfig.DATANODE.settings(conf);
    if (settings == null) {
      return null;
    }
    try {
      TlsContext tls = TlsContext.server(settings);
      tls.watch();
      return tls;
    } catch (TlsException e) {
      throw new NotYetException(String.valueOf(e.getMessage()), e);
    }
  }
}
