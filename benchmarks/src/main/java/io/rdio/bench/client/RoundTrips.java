// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.core.thread.DaemonThreads;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a message to the agent and back costs at least: the same over a Unix domain socket to a
 * thread that sends back what it gets. For one thread.
 */
final class RoundTrips implements Closeable {
  /** About as much as the agent is told of a read. */
  static final int BYTES = 64;

  private final SocketChannel here;
  private final SocketChannel there;
  private final ByteBuffer message = ByteBuffer.allocateDirect(BYTES);

  private RoundTrips(SocketChannel here, SocketChannel there) {
    this.here = here;
    this.there = there;
  }

  /** Connects to a thread that answers until this is closed. */
  static RoundTrips open() throws IOException {
    Path folder = Files.createTempDirectory("rdio-round-trips-");
    Path socket = folder.resolve("socket");
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address);
      SocketChannel here = SocketChannel.open(address);
      RoundTrips opened = new RoundTrips(here, server.accept());
      DaemonThreads.daemon("bench-echo", opened::echo).start();
      return opened;
    } finally {
      Files.deleteIfExists(socket);
      Files.delete(folder);
    }
  }

  private void echo() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    try {
      while (fill(there, buffer)) {
        send(there, buffer);
      }
    } catch (ClosedChannelException e) {
      // closed
    } catch (IOException e) {
      throw new IllegalStateException("the echo of round trips failed", e);
    }
  }

  /** Sends a message and waits for its answer. */
  void go() throws IOException {
    message.clear();
    send(here, message);
    if (!fill(here, message)) {
      throw new EOFException("the echo of round trips has ended");
    }
  }

  private static void send(SocketChannel to, ByteBuffer message) throws IOException {
    while (message.hasRemaining()) {
      to.write(message);
    }
  }

  private static boolean fill(SocketChannel from, ByteBuffer message) throws IOException {
    message.clear();
    while (message.hasRemaining()) {
      if (from.read(message) < 0) {
        return false;
      }
    }
    message.flip();
    return true;
  }

  @Override
  public void close() throws IOException {
    here.close();
    there.close();
  }
}
