// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;

/**
 * Slots of a device are lent only to hosts that are registered with it, which this one is not now,
 * or not for long (W8): WRITE_UNFENCED, and what to do about it.
 */
public final class UnregisteredHostException extends FallbackException {
  private final transient DeviceIdentity device;
  private final long ioMillis;
  private final long doomedKey;

  /**
   * Of a host that is not registered.
   *
   * @param device that the host is to be registered with
   * @param ioMillis {@code I}: for how long a write that was sent may still reach it
   */
  public UnregisteredHostException(DeviceIdentity device, long ioMillis, String detail) {
    this(device, ioMillis, 0, detail);
  }

  /**
   * @param device that the host is to be registered with
   * @param ioMillis {@code I}: for how long a write that was sent may still reach it
   * @param doomedKey by which it is registered, and will be shut out: it is to register by another
   *     one; 0 if it is not registered
   */
  public UnregisteredHostException(
      DeviceIdentity device, long ioMillis, long doomedKey, String detail) {
    super(FallbackReason.WRITE_UNFENCED, detail);
    this.device = device;
    this.ioMillis = ioMillis;
    this.doomedKey = doomedKey;
  }

  /** That the host is to be registered with. */
  public DeviceIdentity device() {
    return device;
  }

  /** {@code I}: for how long a write that was sent may still reach it. */
  public long ioMillis() {
    return ioMillis;
  }

  /** The key that its DataNode will take away from the host; 0 if it is not registered at all. */
  public long doomedKey() {
    return doomedKey;
  }
}
