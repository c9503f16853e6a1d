// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import java.nio.file.Path;
import java.util.List;

/** Where key material comes from. Immutable; equal if it names the same files in the same way. */
public sealed interface KeySource permits PemFiles, StoreFiles {
  /**
   * Reads all files.
   *
   * @throws TlsException if one is missing, unreadable, malformed, or its password is wrong
   */
  KeyMaterial load() throws TlsException;

  /** The files that it reads: when one of them changes, {@link #load} may give something else. */
  List<Path> files();
}
