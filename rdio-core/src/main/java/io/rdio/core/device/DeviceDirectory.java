// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import java.util.List;

/**
 * Which local device is the one that a DataNode means (the RDIO paper's rdev hashmap). Safe for any
 * number of threads; an identity that was resolved once costs a map lookup.
 */
public interface DeviceDirectory extends AutoCloseable {
  /**
   * The device of this identity, and no older copy of it. A witness that the device was seen to
   * show, or an earlier one, costs no look at it.
   *
   * @param count of the witness that it must show
   * @throws FallbackException as {@link #resolve(DeviceIdentity)} does; DEVICE_MISMATCH also for a
   *     device that does not show the witness
   */
  BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException;

  /**
   * The device of this identity, opened read-only with O_DIRECT and its superblock verified. That
   * is enough to tell whether there is one, not to read blocks from it.
   *
   * @throws FallbackException DEVICE_NOT_FOUND, DEVICE_AMBIGUOUS, DEVICE_PERMISSION,
   *     DEVICE_MISMATCH, DEVICE_IO_ERROR, DEVICE_TIMEOUT, INTERRUPTED or NATIVE_LIBRARY_UNAVAILABLE
   */
  BlockDevice resolve(DeviceIdentity identity) throws FallbackException;

  /**
   * Where the device of this identity is, as {@link #resolve(DeviceIdentity)} finds it. Another one
   * may be there by the time that somebody opens it: {@link DeviceIdentity#requireShownBy} tells.
   *
   * @throws FallbackException as {@link #resolve(DeviceIdentity)} does
   */
  DevicePlace place(DeviceIdentity identity) throws FallbackException;

  /** Forgets a device that failed, so that the next {@link #resolve} looks for it anew. */
  void forget(DeviceIdentity identity);

  /**
   * Devices of this host that one not found may be meant to be, and why they are not it, for {@code
   * rdio doctor}: opens every device, which no reader should wait for.
   */
  List<String> lookAlikes(DeviceIdentity identity);

  /** What is visible on this host, for {@code rdio doctor}. */
  List<Candidate> candidates();

  @Override
  void close();

  /**
   * A local block device and what could be learned of it.
   *
   * @param path device node
   * @param sizeBytes by sysfs
   * @param detail file system and UUID, or why they could not be read
   */
  record Candidate(String path, long sizeBytes, String detail) {}
}
