// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/** The errno values that opening and reading a device can give, by name. Linux on any CPU. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int EACCES = 13;
  public static final int ENOTBLK = 15;
  public static final int ENODEV = 19;
  public static final int ENOTTY = 25;
  public static final int ENOSYS = 38;
  public static final int ECANCELED = 125;

  private Errno() {}

  /**
   * Name and meaning of an error.
   *
   * @param result a negative result of a native method, or a positive errno
   */
  public static String text(long result) {
    int errno = (int) Math.abs(result);
    return switch (errno) {
      case EPERM -> "EPERM: operation not permitted";
      case ENOENT -> "ENOENT: no such file or device node";
      case 5 -> "EIO: input/output error";
      case ENXIO -> "ENXIO: no device behind the node";
      case 9 -> "EBADF: bad file descriptor";
      case 12 -> "ENOMEM: out of memory";
      case EACCES -> "EACCES: permission denied";
      case 14 -> "EFAULT: bad address";
      case ENOTBLK -> "ENOTBLK: not a block device";
      case 16 -> "EBUSY: device is busy";
      case ENODEV -> "ENODEV: device is gone";
      case 22 -> "EINVAL: not aligned, or O_DIRECT is not supported here";
      case 23 -> "ENFILE: too many open files on this host";
      case 24 -> "EMFILE: too many open files in this process";
      case ENOTTY -> "ENOTTY: not supported by this device or kernel";
      case ENOSYS -> "ENOSYS: not in this kernel";
      case 52 -> "EBADE: reservation conflict";
      case 61 -> "ENODATA: unreadable medium";
      case 84 -> "EILSEQ: protection information mismatch";
      case 110 -> "ETIMEDOUT: device timed out";
      case 121 -> "EREMOTEIO: device failed the command";
      default -> "errno " + errno;
    };
  }
}
