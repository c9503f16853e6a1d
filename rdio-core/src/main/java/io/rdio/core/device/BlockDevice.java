// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import java.nio.ByteBuffer;

/** A device open for reading past the page cache. Safe for any number of threads. */
public interface BlockDevice {
  /** Local name, for messages. */
  String name();

  /** Bytes that offsets, lengths and buffer addresses must be multiples of; a power of two. */
  int alignment();

  /** Size in bytes when it was opened. */
  long sizeBytes();

  /**
   * Refuses a device that has reads under way which were given up because it did not answer; costs
   * next to nothing while there are none.
   *
   * @throws FallbackException DEVICE_TIMEOUT
   */
  default void requireAnswering() throws FallbackException {}

  /** How busy it is; the same for all views of it. */
  default DeviceBacklog backlog() {
    return DeviceBacklog.UNKNOWN;
  }

  /** How much runs should have under way on it; the same for all views of it. */
  default DeviceDepth depth() {
    return DeviceDepth.UNKNOWN;
  }

  /**
   * Fills a buffer from the device. Waits for as long as the device takes, also where reads on a
   * {@link ReadQueue} are given up.
   *
   * @param offset device offset in bytes, a multiple of {@link #alignment()}
   * @param target direct buffer; the address of its position and its remaining bytes are multiples
   *     of {@link #alignment()}; its position is moved to its limit
   * @throws FallbackException DEVICE_IO_ERROR when not every byte could be read; the buffer's
   *     content is then undefined
   */
  void read(long offset, ByteBuffer target) throws FallbackException;
}
