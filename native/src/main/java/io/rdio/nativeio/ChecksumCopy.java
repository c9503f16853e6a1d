// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Copies the chunks of a block and makes their CRCs in the same pass: the counterpart of {@link
 * VerifyCopy}, whose types it has. Nothing but the calls; nothing allocates. Safe for any number of
 * threads.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available. The caller answers for
 * addresses and lengths: {@code length} and {@code chunk} above 0, a type that is CRC32 or CRC32C,
 * {@code target} with room for {@code length} bytes and {@code crcs} for four bytes for each chunk
 * (the highest first, as a meta file has them). Source and target do not overlap. Each CRC is that
 * of the copy, so that the two agree even if somebody changes the source meanwhile.
 */
public final class ChecksumCopy {
  private ChecksumCopy() {}

  /**
   * Copies {@code [source, source + length)}, which starts with a chunk and whose last one may be
   * short.
   *
   * @return 0
   */
  public static native int fromMemory(
      int type, long source, int length, int chunk, long target, long crcs);

  /**
   * The same from {@code at} on of an array, in pieces during each of which the garbage collector
   * waits for some microseconds.
   *
   * @return 0; or -ENOMEM, with an OutOfMemoryError pending
   */
  public static native int fromArray(
      int type, byte[] source, int at, int length, int chunk, long target, long crcs);
}
