// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Connection;
import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.TargetRefusedException;
import java.io.IOException;

/** What the agent says on one lane, by one frame that all answers share. For one thread. */
final class Answers {
  private final Connection connection;
  private final AgentCounters counters;
  private final Frame frame = new Frame();

  Answers(Connection connection, AgentCounters counters) {
    this.connection = connection;
    this.counters = counters;
  }

  /** An answer to the question with this tag, to be filled and sent before the next one begins. */
  Frame begin(int kind, int tag) {
    return frame.begin(kind, tag);
  }

  void send(Frame answer) throws IOException {
    connection.send(answer);
  }

  void ok(int tag) throws IOException {
    send(begin(Protocol.OK, tag));
  }

  void refuse(int tag, FallbackException refusal) throws IOException {
    counters.refused(refusal.reason());
    send(refusal(frame, tag, refusal));
  }

  void refuseTarget(int tag, TargetRefusedException refusal) throws IOException {
    counters.refused(refusal.reason());
    frame.begin(Protocol.REFUSED_TARGET, tag).put(refusal.target());
    send(putReason(frame, refusal));
  }

  /** The message that says why something is refused. */
  static Frame refusal(Frame frame, int tag, FallbackException refusal) {
    return putReason(frame.begin(Protocol.REFUSED, tag), refusal);
  }

  private static Frame putReason(Frame frame, FallbackException refusal) {
    return frame
        .putBeginning(refusal.reason().name(), Protocol.NAME_MAX)
        .putBeginning(refusal.detail(), Protocol.DETAIL_MAX);
  }
}
