// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.core.FallbackException;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What an agent says of itself at some moment.
 *
 * @param byName without what the names of all begin with
 */
record AgentFigures(Map<String, Long> byName) {
  private static final String PREFIX = "rdio_agent_";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  AgentFigures {
    byName = Map.copyOf(byName);
  }

  /**
   * Asks it, by no network.
   *
   * @param socket path where it listens
   * @throws IOException if it does not say
   */
  static AgentFigures of(String socket) throws IOException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new IOException("the agent cannot be asked: " + library.detail(), library.cause());
    }
    try {
      return ofText(AgentProbe.status(socket, PATIENCE.toNanos()));
    } catch (FallbackException e) {
      throw new IOException("the agent does not say how it is: " + e.getMessage(), e);
    }
  }

  /** Of a figure a line, as Prometheus takes them. */
  static AgentFigures ofText(String text) {
    Map<String, Long> figures = new HashMap<>();
    for (String line : text.split("\n", -1)) {
      int space = line.lastIndexOf(' ');
      if (line.startsWith(PREFIX) && space > 0) {
        figures.put(
            line.substring(PREFIX.length(), space), Long.valueOf(line.substring(space + 1)));
      }
    }
    return new AgentFigures(figures);
  }

  /**
   * One of them.
   *
   * @throws IOException if it is not there
   */
  long get(String name) throws IOException {
    Long value = byName.get(name);
    if (value == null) {
      throw new IOException("the agent has no figure " + name);
    }
    return value;
  }

  /** How much one of them has grown. */
  long since(AgentFigures before, String name) throws IOException {
    return get(name) - before.get(name);
  }
}
