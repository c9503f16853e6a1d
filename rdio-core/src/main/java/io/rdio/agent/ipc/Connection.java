// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One end of a lane. For one thread at a time, but for {@link #shutdown}, which any thread may call
 * to wake the one that waits. librdio must be available.
 */
public final class Connection implements Closeable {
  private final Object closing = new Object();
  private int fd;
  private int passed = LocalSocket.NO_FD;

  /** Takes a descriptor over. */
  public Connection(int fd) {
    this.fd = fd;
  }

  /**
   * Connects to whoever listens at a path.
   *
   * @param patienceNanos longest wait for a place among those that wait to be accepted
   * @throws IOException with what went wrong and the path
   * @throws FallbackException AGENT_BUSY where there is none
   */
  static Connection connect(String path, long patienceNanos) throws IOException, FallbackException {
    int fd = LocalSocket.connect(path, patienceNanos);
    if (fd == -Errno.EAGAIN) {
      throw new FallbackException(
          FallbackReason.AGENT_BUSY, path + ": no more connections may wait to be accepted");
    }
    if (fd < 0) {
      throw new IOException("connecting to " + path + ": " + Errno.text(fd));
    }
    return new Connection(fd);
  }

  /** How long a send, and a receive that waits, take at most. */
  public void setTimeout(long nanos) throws IOException {
    check(LocalSocket.setTimeout(fd, nanos), "time limit");
  }

  /**
   * Whose process is at the other end, as the kernel knows it.
   *
   * @return uid, gid and pid
   */
  public long[] peer() throws IOException {
    ByteBuffer ids =
        ByteBuffer.allocateDirect(LocalSocket.PEER_BYTES).order(ByteOrder.nativeOrder());
    check(LocalSocket.peer(fd, DirectReader.addressOf(ids)), "asking who it is");
    return new long[] {ids.getLong(), ids.getLong(), ids.getLong()};
  }

  /** Sends a message. */
  public void send(Frame message) throws IOException {
    send(message, LocalSocket.NO_FD);
  }

  /** Sends a message together with a descriptor, which stays the caller's. */
  void send(Frame message, int descriptor) throws IOException {
    check(LocalSocket.send(fd, message.address(), message.length(), descriptor), "send");
  }

  /**
   * Receives a message; a descriptor that comes along is {@linkplain #takePassed kept}.
   *
   * @param wait false to look only whether one is there
   * @return false if none is there, or none came in time
   * @throws EOFException if the other end is gone
   */
  public boolean receive(Frame message, boolean wait) throws IOException {
    long received = LocalSocket.receive(fd, message.address(), message.capacity(), wait);
    int length = LocalSocket.lengthOf(received);
    if (length == -Errno.EAGAIN) {
      return false;
    }
    check(length, "receive");
    drop();
    passed = LocalSocket.passedOf(received);
    if (length == 0) {
      throw new EOFException("the other end is closed");
    }
    message.received(length);
    return true;
  }

  /** The descriptor that came with the last message, from now on the caller's; or NO_FD. */
  public int takePassed() {
    int taken = passed;
    passed = LocalSocket.NO_FD;
    return taken;
  }

  private void drop() {
    if (passed != LocalSocket.NO_FD) {
      LocalSocket.close(takePassed());
    }
  }

  /** Ends it for both ends, without waiting; the owner then closes it. */
  public void shutdown() {
    synchronized (closing) {
      if (fd >= 0) {
        LocalSocket.shutdown(fd);
      }
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    drop();
    synchronized (closing) {
      if (fd >= 0) {
        LocalSocket.close(fd);
        fd = -1;
      }
    }
  }

  private static void check(int result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + Errno.text(result));
    }
  }
}
