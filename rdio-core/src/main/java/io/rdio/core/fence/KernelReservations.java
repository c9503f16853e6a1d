// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static io.rdio.core.linux.Libc.LIBC;

import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.linux.Libc;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * Reservations by the kernel: the ioctls of {@code linux/pr.h} for what changes them, and NVMe's
 * own commands for the two things that those lack. They read no keys before Linux 7.0, and then
 * without the hosts that have them, so the target is asked for its Reservation Report; and they can
 * end no registration of NVMe.
 *
 * <p>Needs CAP_SYS_ADMIN, or a kernel that lets everybody ask who may write to the node; the node
 * is opened for writing only where it must be, and nothing is ever written.
 */
final class KernelReservations implements Reservations {
  private static final long IOC_PR_REGISTER = 0x401870C8L; // _IOW('p', 200, 24 bytes)
  private static final long IOC_PR_RESERVE = 0x401070C9L; // _IOW('p', 201, 16 bytes)
  private static final long IOC_PR_PREEMPT_ABORT = 0x401870CCL; // _IOW('p', 204, 24 bytes)
  private static final int PR_FL_IGNORE_KEY = 1;

  private static final long NVME_IOCTL_ID = 0x4E40L; // _IO('N', 0x40)
  private static final long NVME_IOCTL_IO_CMD = 0xC0484E43L; // _IOWR('N', 0x43, 72 bytes)
  private static final int COMMAND_BYTES = 72;
  private static final int RESERVATION_REGISTER = 0x0D;
  private static final int RESERVATION_REPORT = 0x0E;
  private static final String HOST_ID = "hostid";
  private static final String REGISTER = "Reservation Register";
  private static final String REPORT = "Reservation Report";
  private static final int UNREGISTER = 1;
  private static final int EXTENDED = 1;

  /** For a thousand registrants. */
  private static final int REPORT_BYTES = 1 << 16;

  private static final int TIMEOUT_MILLIS = 30_000;

  private final Path node;
  private int fd;
  private boolean writable;

  private KernelReservations(Path node, int fd) {
    this.node = node;
    this.fd = fd;
  }

  /**
   * Of the namespace that a node stands for.
   *
   * @param node of a whole disk: a partition has no reservations of its own
   * @throws ReservationException DENIED or FAILED
   */
  static KernelReservations open(Path node) throws ReservationException {
    return new KernelReservations(node, open(node, Libc.O_RDONLY));
  }

  private static int open(Path node, int flags) throws ReservationException {
    int fd = LIBC.open(node.toString(), flags | Libc.O_CLOEXEC);
    if (fd < 0) {
      int errno = Libc.errno();
      throw new ReservationException(
          PrStatus.isDenied(errno) ? Obstacle.DENIED : Obstacle.FAILED,
          node + ": open: " + LIBC.strerror(errno) + PrStatus.fix(errno));
    }
    return fd;
  }

  @Override
  public String name() {
    return node.toString();
  }

  @Override
  public String hostId() {
    Path device = Path.of("/sys/class/block", Objects.toString(node.getFileName(), ""), "device");
    // The controller's, or, with native multipath, that of any of the subsystem's controllers.
    try (DirectoryStream<Path> files = Files.newDirectoryStream(device, "{hostid,nvme*}")) {
      for (Path file : files) {
        Path id = file.endsWith(HOST_ID) ? file : file.resolve(HOST_ID);
        if (Files.exists(id)) {
          return Files.readString(id).strip().replace("-", "").toLowerCase(Locale.ROOT);
        }
      }
      return "";
    } catch (IOException | DirectoryIteratorException e) {
      return "";
    }
  }

  @Override
  public ReservationReport report() throws ReservationException {
    Reply reply = ask(EXTENDED);
    boolean extended = !PrStatus.wantsOtherHostIds(reply.status);
    if (!extended) {
      reply = ask(0);
    }
    PrStatus.check(REPORT, node, reply.status, 0);
    return ReservationReport.parse(reply.data, extended)
        .orElseThrow(
            () ->
                new ReservationException(
                    Obstacle.FAILED, node + ": the target's " + REPORT + " makes no sense"));
  }

  /** What the target said; the data has a meaning where the status is 0. */
  private record Reply(int status, ByteBuffer data) {}

  private Reply ask(int form) throws ReservationException {
    Pointer data = Memory.allocateDirect(Runtime.getRuntime(LIBC), REPORT_BYTES, true);
    int status = nvme(REPORT, RESERVATION_REPORT, data, REPORT_BYTES / 4 - 1, form);
    byte[] bytes = new byte[REPORT_BYTES];
    data.get(0, bytes, 0, bytes.length);
    return new Reply(status, ByteBuffer.wrap(bytes));
  }

  @Override
  public void register(long key) throws ReservationException {
    setKey(0, key, 0);
  }

  @Override
  public void replaceKey(long key) throws ReservationException {
    // The old one is ignored; that it is not 0 makes the kernel replace it.
    setKey(key, key, PR_FL_IGNORE_KEY);
  }

  private void setKey(long before, long key, int flags) throws ReservationException {
    change("IOC_PR_REGISTER", IOC_PR_REGISTER, twoKeys(before, key, flags));
  }

  @Override
  public void unregister(long key) throws ReservationException {
    Pointer data = Memory.allocateDirect(Runtime.getRuntime(LIBC), 16, true);
    ByteBuffer keys = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(key);
    data.put(0, keys.array(), 0, 16);
    int status = nvme(REGISTER, RESERVATION_REGISTER, data, UNREGISTER, 0);
    PrStatus.check(REGISTER, node, status, 0);
  }

  @Override
  public void reserve(long key, ReservationType type) throws ReservationException {
    change("IOC_PR_RESERVE", IOC_PR_RESERVE, oneKey(key, type.number()));
  }

  @Override
  public void preemptAndAbort(long key, long others, ReservationType type)
      throws ReservationException {
    // The kernel hands "old" to the target as the own key, and "new" as that to be taken away.
    change("IOC_PR_PREEMPT_ABORT", IOC_PR_PREEMPT_ABORT, twoKeys(key, others, type.number()));
  }

  private void change(String name, long request, ByteBuffer argument) throws ReservationException {
    int status = ioctl(request, argument);
    PrStatus.check(name, node, status, status < 0 ? Libc.errno() : 0);
  }

  /** An NVMe command with data. Answers the target's status; 0 is success. */
  private int nvme(String name, int opcode, Pointer data, int word10, int word11)
      throws ReservationException {
    int namespace = LIBC.ioctl(fd, NVME_IOCTL_ID, argument(8));
    if (namespace < 0) {
      PrStatus.check(name, node, namespace, Libc.errno());
    }
    ByteBuffer command = argument(COMMAND_BYTES);
    command.put(0, (byte) opcode).putInt(4, namespace);
    command.putLong(24, data.address()).putInt(36, (int) data.size());
    command.putInt(40, word10).putInt(44, word11).putInt(64, TIMEOUT_MILLIS);
    int status;
    try {
      status = ioctl(NVME_IOCTL_IO_CMD, command);
    } finally {
      Reference.reachabilityFence(data);
    }
    if (status < 0) {
      PrStatus.check(name, node, status, Libc.errno());
    }
    return status;
  }

  /** Asks again by a descriptor for writing where the kernel wants one. */
  private int ioctl(long request, ByteBuffer argument) throws ReservationException {
    int status = LIBC.ioctl(fd, request, argument);
    if (status < 0 && !writable && PrStatus.isDenied(Libc.errno())) {
      int opened = open(node, Libc.O_RDWR);
      LIBC.close(fd);
      fd = opened;
      writable = true;
      status = LIBC.ioctl(fd, request, argument);
    }
    return status;
  }

  /** Struct pr_registration and struct pr_preempt: two keys, flags or a type, and flags or none. */
  static ByteBuffer twoKeys(long first, long second, int word) {
    return argument(24).putLong(0, first).putLong(8, second).putInt(16, word);
  }

  /** Struct pr_reservation: a key, a type, no flags. */
  static ByteBuffer oneKey(long key, int type) {
    return argument(16).putLong(0, key).putInt(8, type);
  }

  /** To be filled by absolute puts alone: a call gets a buffer from its position on. */
  private static ByteBuffer argument(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  @Override
  public void close() {
    LIBC.close(fd);
  }
}
