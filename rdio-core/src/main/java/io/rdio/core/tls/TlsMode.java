// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

/** Who proves who it is on the metadata plane. It means the same on both sides. */
public enum TlsMode {
  /** Nobody: plain text. */
  OFF,
  /** The DataNode, by a certificate with its host name. */
  ON,
  /** The client too, by a certificate of an authority that the DataNode trusts. */
  MUTUAL
}
