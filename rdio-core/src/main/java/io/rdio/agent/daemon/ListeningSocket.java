// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Connection;
import io.rdio.core.Setting;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The socket at which an agent listens, and what can be wrong with its place. */
final class ListeningSocket {
  /** Bytes that a socket's path has at most: the kernel's 108 with the zero behind it. */
  private static final int PATH_MAX = 107;

  /** In a file's mode. */
  private static final int FILE_TYPE = 0170000;

  private static final int SOCKET = 0140000;

  private ListeningSocket() {}

  /**
   * Listens at a path. What an agent left there that is gone is replaced.
   *
   * @param mode of the socket's file
   * @param backlog connections that may wait to be accepted
   * @return the socket's descriptor
   * @throws IOException with the path, what is wrong with it, and how to put it right
   */
  static int listen(Path path, int mode, int backlog) throws IOException {
    int listener = LocalSocket.listen(path.toString(), mode, backlog);
    if (listener == -Errno.EADDRINUSE) {
      listener = listenInstead(path, mode, backlog);
    }
    if (listener < 0) {
      throw new IOException("The agent cannot listen at " + path + ": " + why(path, listener));
    }
    return listener;
  }

  /**
   * Listens in place of a dead agent, or says why not. Of agents that start at once one does, and
   * the others leave alone what it has just made.
   */
  private static int listenInstead(Path path, int mode, int backlog) throws IOException {
    Path lock = path.resolveSibling(path.getFileName() + ".lock");
    try (FileChannel file =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = file.tryLock()) {
      if (held == null) {
        throw new OverlappingFileLockException();
      }
      takeAway(path);
      return LocalSocket.listen(path.toString(), mode, backlog);
    } catch (OverlappingFileLockException e) {
      throw new IOException(
          "The agent cannot listen at "
              + path
              + ": another agent is about to. End one of them,"
              + elsewhere(),
          e);
    } catch (AccessDeniedException e) {
      return -Errno.EACCES;
    }
  }

  private static String why(Path path, int error) {
    Path folder = path.toAbsolutePath().getParent();
    String user = System.getProperty("user.name");
    return switch (-error) {
      case Errno.ENOENT, Errno.ENOTDIR ->
          "there is no folder "
              + folder
              + ". Make it, as root, by 'install -d -m 0755 -o "
              + user
              + " "
              + folder
              + "' (/run is empty after a boot: systemd makes it for a unit with RuntimeDirectory),"
              + elsewhere();
      case Errno.EACCES, Errno.EPERM, Errno.EROFS ->
          "user "
              + user
              + " may make no file in "
              + folder
              + ". Give the folder to it, as root, by 'chown "
              + user
              + " "
              + folder
              + "',"
              + elsewhere();
      case Errno.ENAMETOOLONG ->
          "the path has "
              + path.toString().getBytes(StandardCharsets.UTF_8).length
              + " bytes, and that of a socket at most "
              + PATH_MAX
              + ". Set "
              + Setting.AGENT_SOCKET
              + " to a shorter one, for the agent and for those who ask it";
      default -> Errno.text(error);
    };
  }

  private static String elsewhere() {
    return " or set " + Setting.AGENT_SOCKET + " to another path, for the agent and its processes";
  }

  /** Deletes what a dead agent left, and nothing else. */
  private static void takeAway(Path path) throws IOException {
    if (!isSocket(path)) {
      throw new IOException(
          "The agent cannot listen at "
              + path
              + ": something that is no socket has that name. Move it away,"
              + elsewhere());
    }
    int probe = LocalSocket.connect(path.toString(), 0);
    boolean nobodyListens = probe == -Errno.ECONNREFUSED || probe == -Errno.ENOENT;
    if (probe < 0 && probe != -Errno.EAGAIN && !nobodyListens) {
      throw new IOException(
          "The agent cannot listen at "
              + path
              + ": another socket has that name ("
              + Errno.text(probe)
              + "). Delete it if nobody needs it,"
              + elsewhere());
    }
    if (!nobodyListens) {
      throw new IOException(
          "Another agent listens at "
              + path
              + owner(probe)
              + ". End that one first,"
              + elsewhere());
    }
    try {
      Files.deleteIfExists(path);
    } catch (FileSystemException e) {
      throw new IOException(
          "The agent cannot listen at "
              + path
              + ": another socket has that name, to which nobody listens, and user "
              + System.getProperty("user.name")
              + " may not delete it. Delete it,"
              + elsewhere(),
          e);
    }
  }

  /** Whether it is a socket; one that vanished meanwhile is in nobody's way. */
  private static boolean isSocket(Path path) throws IOException {
    try {
      Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      return ((int) mode & FILE_TYPE) == SOCKET;
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** Of whoever listens, as the kernel knows it. */
  private static String owner(int probe) throws IOException {
    if (probe < 0) {
      return "";
    }
    try (Connection connection = new Connection(probe)) {
      long[] peer = connection.peer();
      return ": process " + peer[2] + " of user " + peer[0];
    }
  }
}
