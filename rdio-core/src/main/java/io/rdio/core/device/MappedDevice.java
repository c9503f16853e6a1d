// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

/**
 * What a map says of the device to read by it: which one it is, and the {@link Witness} that it
 * must show. The witness comes by its parts, so that a device seen before costs no allocation.
 */
public interface MappedDevice {
  /** The device that extents count from. */
  DeviceIdentity device();

  /** Where the device has its witness, in bytes. */
  long witnessOffset();

  /** Incarnation of the plugin that wrote it. */
  long witnessNonce();

  /** How often that plugin had written it when the map was granted, at least 1. */
  long witnessCount();

  /** What that device must show before it is read by this map. */
  default Witness witness() {
    return new Witness(witnessOffset(), witnessNonce(), witnessCount());
  }
}
