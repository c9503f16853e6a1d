// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

/** Bytes that a cache of this host held and does not hold any more. Immutable. */
sealed interface Eviction {
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
   * Of a place on the device that is known already.
   *
   * @param offset on the device
   * @param slot of the source's {@link ExtentEpochs}
   * @param epoch in which the place holds what was evicted
   */
  record OfDevice(int device, long offset, long bytes, int slot, int epoch) implements Eviction {
    /** Of the device itself: what is there is always its own. */
    public OfDevice(int device, long offset, long bytes) {
      this(device, offset, bytes, ExtentEpochs.NEVER_CHANGES, 0);
    }
  }
}
