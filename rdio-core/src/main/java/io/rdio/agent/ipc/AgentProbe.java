// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import java.io.IOException;

/** Asks an agent how it is, beside all sessions. librdio must be available. */
public final class AgentProbe {
  private AgentProbe() {}

  /**
   * What the agent says of itself: a figure a line, as Prometheus takes them.
   *
   * @param socket path where the agent listens
   * @param patienceNanos how long it is waited for to accept a connection and to answer
   * @throws FallbackException AGENT_UNAVAILABLE where none answers; AGENT_BUSY where it does, and
   *     has no lane to spare, or where too many wait to be accepted
   */
  public static String status(String socket, long patienceNanos) throws FallbackException {
    long begun = System.nanoTime();
    try (Connection connection = Greeting.connect(socket, patienceNanos, patienceNanos)) {
      connection.setTimeout(Math.max(1, patienceNanos - (System.nanoTime() - begun)));
      Frame frame = new Frame();
      frame.begin(Protocol.STATUS, 0).put(Protocol.MAGIC);
      Greeting.exchange(connection, frame, Protocol.TEXT, patienceNanos);
      String text = frame.getText(Protocol.MESSAGE_MAX);
      frame.end();
      return text;
    } catch (IOException e) {
      throw Greeting.unavailable(socket, e);
    }
  }
}
