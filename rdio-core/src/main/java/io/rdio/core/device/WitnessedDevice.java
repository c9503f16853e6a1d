// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

/**
 * A device whose DataNode writes {@link Witness}es to it: which one it is, and what all witnesses
 * that it may have to show have in common. They come by their parts, so that a device seen before
 * costs no allocation.
 */
public interface WitnessedDevice {
  /** The device that extents count from. */
  DeviceIdentity device();

  /** Where the device has its witness, in bytes. */
  long witnessOffset();

  /** Incarnation of the plugin that wrote it. */
  long witnessNonce();

  /**
   * What the device must show.
   *
   * @param count how often that plugin had written it, at least 1
   */
  default Witness witness(long count) {
    return new Witness(witnessOffset(), witnessNonce(), count);
  }
}
