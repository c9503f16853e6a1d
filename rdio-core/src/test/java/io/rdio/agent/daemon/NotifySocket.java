// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Out;

/** A datagram socket that stands for systemd's. */
final class NotifySocket implements Closeable {
  private static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int PATIENCE_SECONDS = 60;

  private final int fd;

  /** The C library's. */
  public interface LibC {
    int socket(int domain, int type, int protocol);

    int bind(int fd, byte[] address, int length);

    int setsockopt(int fd, int level, int option, byte[] value, int length);

    long recv(int fd, @Out byte[] bytes, long length, int flags);

    int close(int fd);
  }

  /**
   * Binds it.
   *
   * @param name as NOTIFY_SOCKET has it
   */
  NotifySocket(String name) throws IOException {
    byte[] path = name.getBytes(StandardCharsets.UTF_8);
    boolean isAbstract = path[0] == '@';
    ByteBuffer address =
        ByteBuffer.allocate(Short.BYTES + path.length + (isAbstract ? 0 : 1))
            .order(ByteOrder.nativeOrder())
            .putShort((short) AF_UNIX)
            .put(path);
    if (isAbstract) {
      address.put(Short.BYTES, (byte) 0);
    }
    fd = LIBC.socket(AF_UNIX, SOCK_DGRAM, 0);
    byte[] limit =
        ByteBuffer.allocate(2 * Long.BYTES)
            .order(ByteOrder.nativeOrder())
            .putLong(PATIENCE_SECONDS)
            .array();
    if (fd < 0
        || LIBC.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, limit, limit.length) != 0
        || LIBC.bind(fd, address.array(), address.capacity()) != 0) {
      throw new IOException("binding " + name);
    }
  }

  /** The next message; fails when none comes. */
  String next() throws IOException {
    byte[] bytes = new byte[4096];
    long length = LIBC.recv(fd, bytes, bytes.length, 0);
    if (length < 0) {
      throw new IOException("nothing was told within " + PATIENCE_SECONDS + " s");
    }
    return new String(Arrays.copyOf(bytes, (int) length), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    LIBC.close(fd);
  }
}
