// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.eviction;

/** Bytes that a cache of this host held and does not hold any more. Immutable. */
public sealed interface Eviction {
  /** Which of the traced devices they are on. */
  int device();

  /** How many there are. */
  long bytes();

  /**
   * Of a file, whose place on the device is to be found out.
   *
   * @param inode its number
   * @param generation of the inode: another one is another file under the same number
   * @param offset in the file
   */
  record OfFile(int device, long inode, int generation, long offset, long bytes)
      implements Eviction {}

  /**
   * Of the device itself.
   *
   * @param offset on the device
   */
  record OfDevice(int device, long offset, long bytes) implements Eviction {}
}
