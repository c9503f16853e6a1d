// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** What slots need of the kernel, where it is more than a file's name. Thread-safe. */
interface SlotFiles {
  /**
   * Opens a file past the page cache (O_DIRECT): places, lengths and memory are multiples of the
   * unit, but for a read that meets the file's end.
   */
  FileChannel open(Path file, OpenOption... options) throws IOException;

  /** Bytes of the file system's block, which is at least the device's. */
  int unit(Path folder) throws IOException;

  /**
   * Whether the file system of a device has a journal, by which all that is done to it is durable
   * in its order.
   *
   * @throws IOException where that cannot be told
   */
  boolean hasJournal(DeviceIdentity device) throws IOException;

  /**
   * Zeros in written extents, made by the device.
   *
   * @return false where that can never be done here
   * @throws IOException if it failed this time
   */
  boolean tryWriteZeroes(Path file, long length) throws IOException;

  /** Takes space for a file and extends it: unwritten extents, which are to be written next. */
  void allocate(Path file, long length) throws IOException;

  /**
   * Where a file lies, from end to end.
   *
   * @throws FallbackException EXTENTS_UNMAPPABLE for a hole or whatever has no written place
   */
  ExtentList extents(Path file, long length) throws IOException, FallbackException;

  /**
   * The same of space that was only taken: where what is written there will lie.
   *
   * @throws FallbackException EXTENTS_UNMAPPABLE for a hole or whatever has no place
   */
  ExtentList allocated(Path file, long length) throws IOException, FallbackException;

  /** Cuts a file to a length that is less than it has, durably. */
  void cut(Path file, long length) throws IOException;

  /** Writes a file's inode to the device, which says how many names it has. */
  void syncInode(Path file) throws IOException;

  /** Has the kernel let go of a file's pages. */
  void dropPages(Path file) throws IOException;

  /**
   * The same, and how many pages of a file's first bytes it has all the same: such as are dirty, or
   * in use just then.
   */
  int pagesLeft(Path file, long length) throws IOException;

  /** How many pages of a file's first bytes it has. */
  int cachedPages(Path file, long length) throws IOException;

  /**
   * Whether anybody has a file open or mapped.
   *
   * @throws IOException where that cannot be told
   */
  boolean isOpen(Path file) throws IOException;
}
