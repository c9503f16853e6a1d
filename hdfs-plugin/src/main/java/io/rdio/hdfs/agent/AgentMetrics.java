// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rdio.core.FallbackException;
import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * An agent's figures at {@code /metrics}, for Prometheus; and at {@code /health} whether it is in
 * order, for who restarts it if it is not. Thread-safe.
 */
final class AgentMetrics implements AutoCloseable {
  private static final int BACKLOG = 16;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(new DaemonThreads("rdio-agent-metrics"));

  private AgentMetrics(HttpServer server) {
    this.server = server;
  }

  /** Finds out whether an agent is in order. */
  @FunctionalInterface
  interface Health {
    /**
     * Returns if it is, within a few seconds.
     *
     * @throws FallbackException why it is not
     */
    void require() throws FallbackException;
  }

  /**
   * Begins to answer.
   *
   * @param figures what is answered at {@code /metrics}, made anew each time
   * @param health asked for each answer at {@code /health}: 200, or 503 and why
   * @throws IOException if the address is taken, or not this host's
   */
  static AgentMetrics start(InetSocketAddress address, Supplier<String> figures, Health health)
      throws IOException {
    AgentMetrics metrics = new AgentMetrics(HttpServer.create(address, BACKLOG));
    metrics.server.setExecutor(metrics.thread);
    metrics.server.createContext("/metrics", exchange -> answer(exchange, OK, figures.get()));
    metrics.server.createContext("/health", exchange -> answerHealth(exchange, health));
    metrics.server.start();
    return metrics;
  }

  private static void answerHealth(HttpExchange exchange, Health health) throws IOException {
    try {
      health.require();
    } catch (FallbackException e) {
      answer(exchange, UNAVAILABLE, e.reason() + ": " + e.detail() + "\n");
      return;
    }
    answer(exchange, OK, "in order\n");
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      byte[] bytes = text.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(status, bytes.length);
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
