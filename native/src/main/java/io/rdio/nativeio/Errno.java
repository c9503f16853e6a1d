// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * The errno values that opening, reading and writing a device, and talking to a local socket, can
 * give, by name. Linux on any CPU.
 */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int ENOTBLK = 15;
  public static final int EBUSY = 16;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOTTY = 25;
  public static final int EROFS = 30;
  public static final int EPIPE = 32;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int EBADE = 52;
  public static final int EMSGSIZE = 90;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRINUSE = 98;
  public static final int ECONNRESET = 104;
  public static final int ECONNREFUSED = 111;
  public static final int ESTALE = 116;
  public static final int ECANCELED = 125;

  /** By number; null for one that is not expected. */
  private static final String[] TEXTS = new String[ECANCELED + 1];

  static {
    TEXTS[EPERM] = "EPERM: operation not permitted";
    TEXTS[ENOENT] = "ENOENT: no such file or device node";
    TEXTS[5] = "EIO: input/output error";
    TEXTS[ENXIO] = "ENXIO: no device behind the node";
    TEXTS[9] = "EBADF: bad file descriptor";
    TEXTS[ENOMEM] = "ENOMEM: out of memory";
    TEXTS[EACCES] = "EACCES: permission denied";
    TEXTS[14] = "EFAULT: bad address";
    TEXTS[ENOTBLK] = "ENOTBLK: not a block device";
    TEXTS[EBUSY] = "EBUSY: device is busy";
    TEXTS[ENODEV] = "ENODEV: device is gone";
    TEXTS[ENOTDIR] = "ENOTDIR: part of the path is no folder";
    TEXTS[22] = "EINVAL: not aligned, or O_DIRECT is not supported here";
    TEXTS[ENFILE] = "ENFILE: too many open files on this host";
    TEXTS[EMFILE] = "EMFILE: too many open files in this process";
    TEXTS[ENOTTY] = "ENOTTY: not supported by this device or kernel";
    TEXTS[EROFS] = "EROFS: the file system is read-only";
    TEXTS[ENAMETOOLONG] = "ENAMETOOLONG: the path is too long";
    TEXTS[ENOSYS] = "ENOSYS: not in this kernel";
    TEXTS[EBADE] = "EBADE: reservation conflict";
    TEXTS[EADDRINUSE] = "EADDRINUSE: the path is taken";
    TEXTS[ECONNREFUSED] = "ECONNREFUSED: nobody listens there";
    TEXTS[EPIPE] = "EPIPE: the other end is closed";
    TEXTS[EMSGSIZE] = "EMSGSIZE: the message is too long";
    TEXTS[ECONNRESET] = "ECONNRESET: the other end was closed";
    TEXTS[EAGAIN] = "EAGAIN: not now";
    TEXTS[61] = "ENODATA: unreadable medium";
    TEXTS[84] = "EILSEQ: protection information mismatch";
    TEXTS[110] = "ETIMEDOUT: device timed out";
    TEXTS[121] = "EREMOTEIO: device failed the command";
  }

  private Errno() {}

  /**
   * Name and meaning of an error.
   *
   * @param result a negative result of a native method, or a positive errno
   */
  public static String text(long result) {
    int errno = (int) Math.abs(result);
    boolean known = errno >= 0 && errno < TEXTS.length && TEXTS[errno] != null;
    return known ? TEXTS[errno] : "errno " + errno;
  }
}
