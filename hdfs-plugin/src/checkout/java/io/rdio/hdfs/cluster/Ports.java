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
 * cluster's must not.
 */
public final class Ports {
  /** Below Linux's range for outgoing connections, which would take a port between two restarts. */
  private static final int FIRST = 20_000;

  private static final int LAST = 32_000;
  private static final int SLICE = 500;
  private static final int TRIES = 1_000;

  /** This process's slice begins behind its port, which is held while the process lives. */
  @GuardedBy("Ports.class")
  private static @Nullable ServerSocket slice;

  private Ports() {}

  /** A port that nothing listens on now and that is not in {@code taken}, to which it is added. */
  public static int free(Set<Integer> taken) throws IOException {
    int first = slice() + 1;
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(first, first + SLICE - 1);
      if (!taken.contains(port) && isFree(port)) {
        taken.add(port);
        return port;
      }
    }
    throw new IOException("no free TCP port from " + first + " to " + (first + SLICE - 1));
  }

  private static synchronized int slice() throws IOException {
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
