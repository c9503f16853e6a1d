// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Reads under way on devices: an io_uring of the kernel, or where it or a seccomp filter has none
 * for us, its older io_submit. Nothing but the calls: nothing allocates, nothing throws, an error
 * is the negative errno. A ring is for one thread at a time, which need not always be the same.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available. The caller answers for
 * addresses, descriptors and handles; memory that is being read to must stay where it is until the
 * read was told to have ended.
 */
public final class Ring {
  /** Bytes of a completion: a tag and a result, both of eight bytes in native order. */
  public static final int COMPLETION_BYTES = 16;

  /** Pieces of memory that a ring can have pinned. */
  public static final int PINNED_MAX = 32;

  /** What stands for none of them. */
  public static final int UNPINNED = -1;

  /** What {@link #enter} adds where not all that is prepared could be begun. */
  public static final int LEFT = 1 << 16;

  private Ring() {}

  /**
   * A new ring.
   *
   * @param entries reads that can be prepared at a time, 1 to 4096
   * @return its handle; or -errno: ENOSYS, EPERM or EACCES where the kernel or a seccomp filter has
   *     neither for us
   */
  public static native long create(int entries);

  /** Whether it is an io_uring. */
  public static native boolean isUring(long ring);

  /** Frees a ring on which no read is under way. */
  public static native void destroy(long ring);

  /**
   * Pins memory for as long as the ring lives, which reads to it then need not do each time. It
   * counts against RLIMIT_MEMLOCK.
   *
   * @param index 0 to below {@link #PINNED_MAX}, each of which can be used once
   * @return 0; -ENOMEM beyond that limit; -EINVAL or -EOPNOTSUPP before Linux 5.19, and where there
   *     is no io_uring
   */
  public static native int pin(long ring, int index, long address, int length);

  /**
   * Prepares a read; {@link #enter} begins it.
   *
   * @param tag comes back with the read's result
   * @param pinned index of the pinned memory that the target lies in, or {@link #UNPINNED}
   * @return 0, or -EBUSY when as many as the ring has entries are prepared already
   */
  public static native int prepare(
      long ring, int fd, long address, int length, long offset, long tag, int pinned);

  /**
   * Begins what is prepared, waits for completions and tells of them. A signal, too, ends the wait.
   * Where there is no io_uring, a device that takes no more requests may keep this waiting for
   * longer.
   *
   * <p>Where the kernel refuses to begin something, as it may for lack of memory, that stays
   * prepared for the next call. Completions are told of all the same; where there are none a call
   * that was to wait has waited for a moment.
   *
   * @param waitFor completions to wait for; before Linux 5.11 one of them ends the wait
   * @param timeoutNanos longest wait; below zero for as long as it takes
   * @param completions address of memory for {@code max} completions of {@link #COMPLETION_BYTES}
   * @param max less than {@link #LEFT}
   * @return how many completions are there now, and {@link #LEFT} more if something could not be
   *     begun; or -errno where there are none and that is why
   */
  public static native int enter(
      long ring, int waitFor, long timeoutNanos, long completions, int max);
}
