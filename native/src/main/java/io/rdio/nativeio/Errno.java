// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * The errno values that opening and reading a device, and talking to a local socket, can give, by
 * name. Linux on any CPU.
 */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int EACCES = 13;
  public static final int ENOTBLK = 15;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int ENOTTY = 25;
  public static final int EROFS = 30;
  public static final int EPIPE = 32;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int EMSGSIZE = 90;
  public static final int EADDRINUSE = 98;
  public static final int ECONNRESET = 104;
  public static final int ECONNREFUSED = 111;
  public static final int ECANCELED = 125;

  private Errno() {}

  /**
   * Name and meaning of an error.
   *
   * @param result a negative result of a native method, or a positive errno
   */
  public static String text(long result) {
    int errno = (int) Math.abs(result);
    switch (errno) {
      case EPERM:
        return "EPERM: operation not permitted";
      case ENOENT:
        return "ENOENT: no such file or device node";
      case 5:
        return "EIO: input/output error";
      case ENXIO:
        return "ENXIO: no device behind the node";
      case 9:
        return "EBADF: bad file descriptor";
      case 12:
        return "ENOMEM: out of memory";
      case EACCES:
        return "EACCES: permission denied";
      case 14:
        return "EFAULT: bad address";
      case ENOTBLK:
        return "ENOTBLK: not a block device";
      case 16:
        return "EBUSY: device is busy";
      case ENODEV:
        return "ENODEV: device is gone";
      case ENOTDIR:
        return "ENOTDIR: part of the path is no folder";
      case 22:
        return "EINVAL: not aligned, or O_DIRECT is not supported here";
      case 23:
        return "ENFILE: too many open files on this host";
      case 24:
        return "EMFILE: too many open files in this process";
      case ENOTTY:
        return "ENOTTY: not supported by this device or kernel";
      case EROFS:
        return "EROFS: the file system is read-only";
      case ENAMETOOLONG:
        return "ENAMETOOLONG: the path is too long";
      case ENOSYS:
        return "ENOSYS: not in this kernel";
      case 52:
        return "EBADE: reservation conflict";
      case EADDRINUSE:
        return "EADDRINUSE: the path is taken";
      case ECONNREFUSED:
        return "ECONNREFUSED: nobody listens there";
      case EPIPE:
        return "EPIPE: the other end is closed";
      case EMSGSIZE:
        return "EMSGSIZE: the message is too long";
      case ECONNRESET:
        return "ECONNRESET: the other end was closed";
      case EAGAIN:
        return "EAGAIN: not now";
      case 61:
        return "ENODATA: unreadable medium";
      case 84:
        return "EILSEQ: protection information mismatch";
      case 110:
        return "ETIMEDOUT: device timed out";
      case 121:
        return "EREMOTEIO: device failed the command";
      default:
        return "errno " + errno;
    }
  }
}
