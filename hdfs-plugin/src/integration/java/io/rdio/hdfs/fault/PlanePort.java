// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** A port in the place of a DataNode's plugin that behaves as it is told, below gRPC. */
final class PlanePort implements AutoCloseable {
  private final int pluginPort;
  private final int port;
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
  private final ByteArrayOutputStream relayed = new ByteArrayOutputStream();
  private volatile Manner manner;
  private @Nullable ServerSocket server;

  /** What becomes of a connection. */
  enum Manner {
    /** Nobody listens. */
    CLOSED,
    /** Accepted, and never answered. */
    SILENT,
    /** Random bytes come back. */
    NOISE,
    /** A web server. */
    HTTP1,
    /** Passed on to the real plugin. */
    RELAY
  }

  /**
   * @param pluginPort of the real plugin on this host
   */
  PlanePort(int pluginPort, Manner manner) throws IOException {
    this.pluginPort = pluginPort;
    this.manner = manner;
    ServerSocket first = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    port = first.getLocalPort();
    if (manner == Manner.CLOSED) {
      first.close();
    } else {
      serve(first);
    }
  }

  int port() {
    return port;
  }

  /** Changes the manner, for new connections; those that are open are cut. */
  void become(Manner next) throws IOException {
    manner = next;
    for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
      socket.close();
    }
    if (server == null) {
      serve(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()));
    }
  }

  private void serve(ServerSocket socket) {
    server = socket;
    inBackground(
        () -> {
          while (!socket.isClosed()) {
            Socket connection = socket.accept();
            open.add(connection);
            answer(connection);
          }
        });
  }

  private void answer(Socket connection) throws IOException {
    OutputStream out = connection.getOutputStream();
    switch (manner) {
      case NOISE -> {
        byte[] noise = new byte[10_000];
        new Random(1).nextBytes(noise);
        out.write(noise);
      }
      case HTTP1 ->
          out.write(
              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK".getBytes(StandardCharsets.UTF_8));
      case RELAY -> {
        Socket plugin = new Socket(InetAddress.getLoopbackAddress(), pluginPort);
        open.add(plugin);
        pump(connection, plugin, relayed);
        pump(plugin, connection, relayed);
      }
      default -> {
        // Nothing is ever said.
      }
    }
  }

  private static void pump(Socket from, Socket to, ByteArrayOutputStream copy) {
    inBackground(
        () -> {
          try (from;
              to;
              InputStream in = from.getInputStream();
              OutputStream out = to.getOutputStream()) {
            byte[] bytes = new byte[1 << 16];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
              copy.write(bytes, 0, read);
              out.write(bytes, 0, read);
            }
          }
        });
  }

  /** All that was passed on until now, in both directions. */
  byte[] relayed() {
    return relayed.toByteArray();
  }

  /** Work on sockets. */
  private interface SocketWork {
    void run() throws IOException;
  }

  private static void inBackground(SocketWork work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException ended) {
                // One side closed its socket: what such a thread ends by.
              }
            },
            "plane-port");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      server.close();
    }
    for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
      socket.close();
    }
  }
}
