// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import java.io.IOException;

/** This process has as many write leases as the library takes, on whatever devices. */
public final class TooManyLeasesException extends IOException {
  private static final long serialVersionUID = 1;

  public TooManyLeasesException(String message) {
    super(message);
  }
}
