// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import java.io.IOException;

/** A device cannot be opened for writing; the message says why, and what to do about it. */
public final class DeviceOpenException extends IOException {
  private static final long serialVersionUID = 1;

  private final int errno;

  /**
   * @param errno positive
   */
  public DeviceOpenException(String message, int errno) {
    super(message);
    this.errno = errno;
  }

  /** Why: what the kernel said, or the library, as write_device.h has it. Positive. */
  public int errno() {
    return errno;
  }
}
