// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.core.thread.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A port by way of which a DataNode's is reached. It may lose the connections that there are: from
 * then on nothing comes through them, and neither end is told, as where a cable is out.
 */
final class LossyWay implements AutoCloseable {
  private final ServerSocket socket;
  private final int dataNode;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(new DaemonThreads("lossy-way"));
  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  private LossyWay(ServerSocket socket, int dataNode) {
    this.socket = socket;
    this.dataNode = dataNode;
  }

  /**
   * Opens it.
   *
   * @param dataNode its port on this host
   */
  static LossyWay to(int dataNode) throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    LossyWay way = new LossyWay(socket, dataNode);
    way.threads.execute(way::accept);
    return way;
  }

  int port() {
    return socket.getLocalPort();
  }

  /** How many connections there were. */
  int connections() {
    return connections.size();
  }

  /** Loses all connections of now; those that come later it does not. */
  void lose() {
    connections.forEach(Connection::lose);
  }

  boolean hasLost() {
    return connections.stream().anyMatch(connection -> connection.isLost);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        connect(socket.accept());
      } catch (IOException e) {
        close(); // the test is over
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Connection connection =
        new Connection(client, new Socket(InetAddress.getLoopbackAddress(), dataNode));
    connections.add(connection);
    threads.execute(() -> connection.pass(connection.client, connection.server));
    threads.execute(() -> connection.pass(connection.server, connection.client));
  }

  @Override
  public void close() {
    quietly(socket);
    connections.forEach(Connection::close);
    threads.shutdown();
  }

  private static void quietly(Closeable closing) {
    try {
      closing.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Both ends of one. */
  private static final class Connection {
    private final Socket client;
    private final Socket server;
    private volatile boolean isLost;

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void lose() {
      isLost = true;
    }

    void pass(Socket from, Socket to) {
      try {
        passAll(from.getInputStream(), to.getOutputStream());
      } catch (IOException e) {
        end();
      }
    }

    private void passAll(InputStream from, OutputStream to) throws IOException {
      byte[] bytes = new byte[8 << 10];
      int count = from.read(bytes);
      while (count >= 0) {
        if (!isLost) {
          to.write(bytes, 0, count);
        }
        count = from.read(bytes);
      }
      end();
    }

    /** One end has closed it, of which the other one hears. */
    private void end() {
      if (!isLost) {
        close();
      }
    }

    void close() {
      quietly(client);
      quietly(server);
    }
  }
}
