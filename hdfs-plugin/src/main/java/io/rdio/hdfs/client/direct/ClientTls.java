// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.tls.TlsContext;
import io.rdio.core.tls.TlsException;
import io.rdio.core.tls.TlsSettings;

/** A client's TLS. A class of its own, which a client without TLS does not load. */
final class ClientTls {
  private ClientTls() {}

  /**
   * Loads certificates and keys.
   *
   * @throws FallbackException CONFIGURATION_INVALID if they cannot be used
   */
  static TlsContext open(TlsSettings settings) throws FallbackException {
    try {
      return TlsContext.client(settings);
    } catch (TlsException e) {
      throw new FallbackException(
          FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()), e);
    }
  }
}
