// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * TCP ports for daemons that take theirs from configuration. Each process takes them from a slice
 * of its own: a daemon binds its port some seconds after it was found free, and meanwhile another
 * cluster's must not. It takes them in turn, so that hundreds of others are taken before one comes
 * again: a client that had a connection to the last NameNode of a port believes in it for ten
 * seconds, and would lose its first call to the next NameNode there (an EOFException).
 */
public final class Ports {
  /** Below Linux's range for outgoing connections, which would take a port between two restarts. */
  private static final int FIRST = 20_000;

  private static final int LAST = 32_000;
  private static final int SLICE = 500;
  private static final Object LOCK = new Object();

  /** This process's slice begins behind its port, which is held while the process lives. */
  @GuardedBy("LOCK")
  private static @Nullable ServerSocket slice;

  /** How far from the slice's first port the next one is; not from 0, as others had that before. */
  @GuardedBy("LOCK")
  private static int next = ThreadLocalRandom.current().nextInt(SLICE - 1);

  private Ports() {}

  /** A port that nothing listens on now and that is not in {@code taken}, to which it is added. */
  public static int free(Set<Integer> taken) throws IOException {
    synchronized (LOCK) {
      int first = slice() + 1;
      for (int i = 0; i < SLICE - 1; i++) {
        int port = first + next;
        next = (next + 1) % (SLICE - 1);
        if (!taken.contains(port) && isFree(port)) {
          taken.add(port);
          return port;
        }
      }
      throw new IOException("no free TCP port from " + first + " to " + (first + SLICE - 2));
    }
  }

  @GuardedBy("LOCK")
  private static int slice() throws IOException {
    ServerSocket held = slice;
    if (held == null) {
      held = takeSlice();
      slice = held;
    }
    return held.getLocalPort();
  }

  private static ServerSocket takeSlice() throws IOException {
    for (int port = FIRST; port < LAST; port += SLICE) {
      try {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
      } catch (IOException taken) {
        // by another process
      }
    }
    throw new IOException(
        "each slice of the TCP ports from "
            + FIRST
            + " to "
            + LAST
            + " is another process's; end some of those that run clusters");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
