// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** TCP ports for daemons that take theirs from configuration. */
public final class Ports {
  /** Below Linux's range for outgoing connections, which would take a port between two restarts. */
  private static final int FIRST = 20_000;

  private static final int LAST = 32_000;
  private static final int TRIES = 1_000;

  private Ports() {}

  /** A port that nothing listens on now and that is not in {@code taken}, to which it is added. */
  public static int free(Set<Integer> taken) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      if (!taken.contains(port) && isFree(port)) {
        taken.add(port);
        return port;
      }
    }
    throw new IOException("no free TCP port from " + FIRST + " to " + LAST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
