// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** An agent's figures at {@code /metrics}, for Prometheus. Thread-safe. */
final class AgentMetrics implements AutoCloseable {
  private static final int BACKLOG = 16;

  private final HttpServer server;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(new DaemonThreads("rdio-agent-metrics"));

  private AgentMetrics(HttpServer server) {
    this.server = server;
  }

  /**
   * Begins to answer.
   *
   * @param text what is answered, made anew each time
   * @throws IOException if the address is taken, or not this host's
   */
  static AgentMetrics start(InetSocketAddress address, Supplier<String> text) throws IOException {
    AgentMetrics metrics = new AgentMetrics(HttpServer.create(address, BACKLOG));
    metrics.server.setExecutor(metrics.thread);
    metrics.server.createContext("/metrics", exchange -> answer(exchange, text.get()));
    metrics.server.start();
    return metrics;
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    try (exchange) {
      byte[] bytes = text.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(200, bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    }
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }
}
