// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static io.rdio.core.linux.Libc.LIBC;

import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.linux.Libc;
import java.nio.file.Path;

/**
 * What the kernel answers to a command on reservations: an errno, a status of {@code linux/pr.h},
 * or, from ioctls of NVMe and kernels before 6.3, the target's own.
 */
final class PrStatus {
  private static final int ENOTTY = 25;
  private static final int EINVAL = 22;
  private static final int EOPNOTSUPP = 95;

  private static final int PR_STS_RESERVATION_CONFLICT = 0x18;

  private static final int NVME_STATUS_MASK = 0x7FF;
  private static final int NVME_INVALID_OPCODE = 0x1;
  private static final int NVME_INVALID_FIELD = 0x2;
  private static final int NVME_HOST_ID_INCONSISTENT = 0x18;
  private static final int NVME_RESERVATION_CONFLICT = 0x83;

  private PrStatus() {}

  /** Whether a target has host identifiers of the other length, by its status. */
  static boolean wantsOtherHostIds(int status) {
    return (status & NVME_STATUS_MASK) == NVME_HOST_ID_INCONSISTENT;
  }

  static boolean isDenied(int errno) {
    return errno == Libc.EPERM || errno == Libc.EACCES;
  }

  /** For the end of a message; empty where there is none. */
  static String fix(int errno) {
    return isDenied(errno)
        ? "; fix: run it as root (CAP_SYS_ADMIN); newer kernels let also others who may write to"
            + " the node"
        : "";
  }

  /**
   * @param status 0 for success; below 0 where errno says more
   * @throws ReservationException for all but success
   */
  static void check(String call, Path node, int status, int errno) throws ReservationException {
    if (status != 0) {
      throw of(call, node, status, errno);
    }
  }

  private static ReservationException of(String call, Path node, int status, int errno) {
    String what = node + ": " + call + ": ";
    if (status < 0) {
      Obstacle obstacle = ofErrno(errno);
      String text = what + LIBC.strerror(errno) + fix(errno);
      return new ReservationException(
          obstacle, obstacle == Obstacle.UNSUPPORTED ? text + unsupported() : text);
    }
    int code = status & NVME_STATUS_MASK;
    if (status == PR_STS_RESERVATION_CONFLICT || code == NVME_RESERVATION_CONFLICT) {
      return new ReservationException(
          Obstacle.CONFLICT, what + "reservation conflict: another host or key has it");
    }
    String number = "status 0x" + Integer.toHexString(status);
    return code == NVME_INVALID_OPCODE || code == NVME_INVALID_FIELD
        ? new ReservationException(Obstacle.UNSUPPORTED, what + number + unsupported())
        : new ReservationException(Obstacle.FAILED, what + number);
  }

  /** An invalid command of NVMe is an invalid argument for newer kernels. */
  private static Obstacle ofErrno(int errno) {
    return switch (errno) {
      case Libc.EPERM, Libc.EACCES -> Obstacle.DENIED;
      case ENOTTY, EINVAL, EOPNOTSUPP -> Obstacle.UNSUPPORTED;
      default -> Obstacle.FAILED;
    };
  }

  private static String unsupported() {
    return "; the namespace takes no reservations; fix: it has to be NVMe, as a whole, of a target"
        + " that has them (of Linux's own from 6.13 on where resv_enable is 1)";
  }
}
