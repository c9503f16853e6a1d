// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import org.jspecify.annotations.Nullable;

/**
 * Key material that cannot be used. The message names the key, its value and what to do, and never
 * holds a password.
 */
public final class TlsException extends Exception {
  TlsException(NamedFile file, String what, String fix) {
    this(file, what, fix, null);
  }

  TlsException(NamedFile file, String what, String fix, @Nullable Throwable cause) {
    super(file.key() + " is '" + file.path() + "': " + what + "; " + fix, cause);
  }

  TlsException(String what, Throwable cause) {
    super(what, cause);
  }
}
