// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Checks the chunks of a block against their stored CRCs and copies them in the same pass. Nothing
 * but the calls; nothing allocates. Safe for any number of threads.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available. The caller answers for
 * addresses and lengths: {@code length} above 0, {@code chunk} above 0, {@code crcs} of four bytes
 * for each chunk (the highest first, as a meta file has them), {@code skip + wanted <= length}.
 */
public final class VerifyCopy {
  /** Types of checksums, by Hadoop's numbers. Of none: all is copied, and there are no CRCs. */
  public static final int UNCHECKED = 0;

  public static final int CRC32 = 1;

  public static final int CRC32C = 2;

  /** What says that all chunks are right. */
  public static final int ALL_GOOD = -1;

  private VerifyCopy() {}

  /**
   * Checks {@code [data, data + length)}, which starts with a chunk and whose last one may be
   * short, and copies {@code wanted} bytes of it from {@code skip} on. A chunk is copied once it is
   * known to be right; what lies behind the first wrong one is not.
   *
   * @param target address of memory for the wanted bytes; 0 to check only
   * @return {@link #ALL_GOOD}, or the index of the first wrong chunk
   */
  public static native int toMemory(
      int type, long data, int length, int chunk, long crcs, int skip, int wanted, long target);

  /**
   * The same into an array from {@code at} on, in pieces during each of which the garbage collector
   * waits for some microseconds.
   *
   * @return also -ENOMEM, with an OutOfMemoryError pending
   */
  public static native int toArray(
      int type,
      long data,
      int length,
      int chunk,
      long crcs,
      int skip,
      int wanted,
      byte[] target,
      int at);
}
