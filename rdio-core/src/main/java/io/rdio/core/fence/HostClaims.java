// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static io.rdio.core.linux.Libc.LIBC;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.Setting;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.linux.Libc;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * That one process registers a host with a device: each claim is a lock of the kernel's on a file,
 * which is named after host and device and says whose it is. The kernel ends it with the process,
 * in whatever way that ends, and not before its system calls have returned. The file stays.
 *
 * <p>Processes see each other's claims that have the same folder: one in a container has it only if
 * it was given the host's. Hosts are told apart as the target does it, by their NVMe host
 * identifiers. Thread-safe.
 */
final class HostClaims implements AutoCloseable {
  /** Beside the agent's socket: a container that has the one has the other. */
  static final Path DEFAULT = Path.of("/run/rdio/writers");

  /** The owner's alone: whoever may open it may lock it. */
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final Pattern NOT_PRINTABLE = Pattern.compile("[^\\p{Print}]");
  private static final int TEXT_MAX = 256;

  private final Path folder;

  /** Descriptors of locked files: one for each device that this process registers with. */
  @GuardedBy("this")
  private final Map<Path, Integer> held = new HashMap<>();

  /**
   * @param folder made when it is needed
   */
  HostClaims(Path folder) {
    this.folder = folder;
  }

  /**
   * Takes a claim, unless this has it.
   *
   * @param hostId as {@link Reservations#hostId} says
   * @return whether this had it not: others may have, until now
   * @throws ReservationException CONFLICT if another process has it; FAILED if that is not known
   */
  synchronized boolean take(String hostId, String wwid) throws ReservationException {
    Path file =
        folder.resolve(URLEncoder.encode(hostId, UTF_8) + "@" + URLEncoder.encode(wwid, UTF_8));
    try {
      Integer before = held.get(file);
      if (before != null && isAt(file, before)) {
        return false;
      }
      held.put(file, lock(file, wwid));
      if (before != null) {
        LIBC.close(before); // somebody has removed its file
      }
      return true;
    } catch (ReservationException e) {
      throw e;
    } catch (IOException e) {
      ReservationException unknown =
          new ReservationException(
              Obstacle.FAILED,
              "whether another process registers this host with "
                  + wwid
                  + " cannot be told ("
                  + e
                  + "); fix: let the agent's user make files in "
                  + folder
                  + ", and remove what an agent of another user left there that has ended");
      unknown.initCause(e);
      throw unknown;
    }
  }

  private int lock(Path file, String wwid) throws IOException {
    make(file);
    int fd = LIBC.open(file.toString(), Libc.O_RDWR | Libc.O_CLOEXEC);
    if (fd < 0) {
      throw new IOException(file + ": open: " + LIBC.strerror(Libc.errno()));
    }
    boolean taken = false;
    try {
      if (LIBC.flock(fd, Libc.LOCK_EX | Libc.LOCK_NB) < 0) {
        throw refusal(file, wwid, Libc.errno());
      }
      if (!isAt(file, fd)) {
        throw new IOException(file + " was replaced just now");
      }
      Files.writeString(file, self());
      taken = true;
      return fd;
    } finally {
      if (!taken) {
        LIBC.close(fd);
      }
    }
  }

  private void make(Path file) throws IOException {
    Files.createDirectories(folder);
    try {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      // Of a process before, or of one that has it.
    }
  }

  /** Whether a descriptor is of the file that others would lock now. */
  private static boolean isAt(Path file, int fd) throws IOException {
    return Files.exists(file)
        && Files.isSameFile(file, Path.of("/proc/self/fd", Integer.toString(fd)));
  }

  private static IOException refusal(Path file, String wwid, int errno) {
    if (errno != Libc.EWOULDBLOCK) {
      return new IOException(file + ": flock: " + LIBC.strerror(errno));
    }
    return new ReservationException(
        Obstacle.CONFLICT,
        "another process registers this host with "
            + wwid
            + ": "
            + holder(file)
            + " ("
            + file
            + "); fix: one agent of a host writes to a device: end one of them, or set "
            + Setting.AGENT_WRITE
            + " to off for it");
  }

  /** What whoever has it says of itself. */
  private static String holder(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      String said = new String(in.readNBytes(TEXT_MAX), UTF_8).strip();
      return said.isEmpty()
          ? "it has not said yet which it is"
          : NOT_PRINTABLE.matcher(said).replaceAll("?");
    } catch (IOException e) {
      return "which one cannot be read: " + e;
    }
  }

  /** In a container the number is of its own, and the name, too. */
  private static String self() {
    return "process "
        + ProcessHandle.current().pid()
        + " of user "
        + System.getProperty("user.name")
        + " on "
        + hostName();
  }

  private static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      return "a host whose name it cannot read";
    }
  }

  /** Gives all up, for tests: a process has them until it ends. */
  @Override
  public synchronized void close() {
    held.values().forEach(LIBC::close);
    held.clear();
  }
}
