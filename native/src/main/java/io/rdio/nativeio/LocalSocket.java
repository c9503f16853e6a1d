// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

/**
 * Local sockets of whole messages (AF_UNIX, SOCK_SEQPACKET) that pass descriptors and tell who is
 * at the other end. Nothing but the calls: nothing allocates, nothing throws, an error is the
 * negative errno ({@link Errno} words it). Safe for any number of threads, but that nobody may use
 * a descriptor once it is closed.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available. The caller answers for
 * addresses and descriptors.
 */
public final class LocalSocket {
  /** What stands for no descriptor. */
  public static final int NO_FD = -1;

  /** Bytes of what {@link #peer} tells: uid, gid and pid, eight bytes each, in native order. */
  public static final int PEER_BYTES = 24;

  private LocalSocket() {}

  /**
   * Listens at a path that does not exist yet.
   *
   * @param mode of the socket's file: who may write to it may connect
   * @param backlog connections that may wait to be accepted
   * @return its descriptor; -EADDRINUSE where there is such a file
   */
  public static native int listen(String path, int mode, int backlog);

  /**
   * A connection that somebody made.
   *
   * @param timeoutMillis longest wait for one; below zero without limit
   * @return its descriptor; -EAGAIN when none came
   */
  public static native int accept(int listener, int timeoutMillis);

  /**
   * Connects to whoever listens at a path.
   *
   * @param patienceNanos longest wait for a place among those that wait to be accepted
   * @return the connection's descriptor; -ENOENT or -ECONNREFUSED where nobody listens, -EAGAIN
   *     where too many wait to be accepted
   */
  public static native int connect(String path, long patienceNanos);

  /**
   * Sends one datagram, waiting for nobody.
   *
   * @param address path of a datagram socket; or, behind an "@", its name in the abstract namespace
   * @return the message's length; -ENOENT or -ECONNREFUSED where nobody has it, -EAGAIN where the
   *     receiver has not read many
   */
  public static native int sendTo(String address, byte[] message);

  /** Writes who is at the other end to memory of {@link #PEER_BYTES}; 0. */
  public static native int peer(int fd, long address);

  /** How long sends and receives wait before they answer -EAGAIN; 0 without limit. */
  public static native int setTimeout(int fd, long nanos);

  /**
   * Sends one message.
   *
   * @param passed a descriptor that goes along, and stays the caller's; or {@link #NO_FD}
   * @return {@code length}; -EPIPE or -ECONNRESET where nobody reads any more, -EAGAIN when the
   *     other end has not read for the timeout
   */
  public static native int send(int fd, long address, int length, int passed);

  /**
   * Receives one message.
   *
   * @param wait false to answer -EAGAIN at once where none is there
   * @return as {@link #lengthOf} and {@link #passedOf} tell; a length of 0 at the end of the
   *     connection; -EMSGSIZE for a message longer than {@code max}, -EPROTO for one with several
   *     descriptors, both of which are lost
   */
  public static native long receive(int fd, long address, int max, boolean wait);

  /** The length of a received message, or -errno. */
  public static int lengthOf(long received) {
    return (int) received;
  }

  /** The descriptor that came along with a received message, now the caller's; or NO_FD. */
  public static int passedOf(long received) {
    return received < 0 ? NO_FD : (int) (received >>> Integer.SIZE) + NO_FD;
  }

  /**
   * Ends both directions: whoever waits in a {@link #receive} wakes with length 0, and in an {@link
   * #accept} with an error.
   */
  public static native int shutdown(int fd);

  public static native int close(int fd);
}
