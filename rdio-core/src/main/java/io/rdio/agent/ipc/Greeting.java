// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.EOFException;
import java.io.IOException;

/** What is said on a connection before it is a lane: a question, then its answer. */
final class Greeting {
  private Greeting() {}

  /**
   * Connects to an agent.
   *
   * @param placeNanos longest wait for a place among those that wait to be accepted
   * @param patienceNanos how long a send, and a receive that waits, take at most
   * @throws FallbackException AGENT_BUSY where there is no place
   */
  static Connection connect(String socket, long placeNanos, long patienceNanos)
      throws IOException, FallbackException {
    Connection connection = Connection.connect(socket, placeNanos);
    boolean good = false;
    try {
      connection.setTimeout(patienceNanos);
      good = true;
      return connection;
    } finally {
      if (!good) {
        connection.close();
      }
    }
  }

  /**
   * Sends the question in a frame, and waits for its answer, which is then there to be read.
   *
   * @param kind of the answer if it is no refusal
   * @throws FallbackException what the agent refused with
   */
  static void exchange(Connection connection, Frame frame, int kind, long patienceNanos)
      throws IOException, FallbackException {
    try {
      connection.send(frame);
    } catch (IOException e) {
      // An agent that is busy says so and closes, before anything is asked.
      if (!isAnswered(connection, frame) || frame.kind() != Protocol.REFUSED) {
        throw e;
      }
      throw Lane.refusal(frame);
    }
    answer(connection, frame, kind, patienceNanos);
  }

  private static boolean isAnswered(Connection connection, Frame frame) throws IOException {
    try {
      return connection.receive(frame, false);
    } catch (EOFException e) {
      return false;
    }
  }

  /** Waits for an answer; see {@link #exchange}. */
  static void answer(Connection connection, Frame frame, int kind, long patienceNanos)
      throws IOException, FallbackException {
    if (!connection.receive(frame, true)) {
      throw new IOException("no answer within " + patienceNanos / 1_000_000 + " ms: it hangs");
    }
    if (frame.kind() == Protocol.REFUSED) {
      throw Lane.refusal(frame);
    }
    if (frame.kind() != kind) {
      throw new MalformedMessageException("an answer of kind " + frame.kind() + ", not " + kind);
    }
  }

  static FallbackException unavailable(String socket, IOException e) {
    return new FallbackException(
        FallbackReason.AGENT_UNAVAILABLE, socket + ": " + e.getMessage(), e);
  }
}
