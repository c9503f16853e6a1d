// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Connection;
import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.MalformedMessageException;
import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.EOFException;
import java.io.IOException;
import java.util.function.Consumer;

/** The first message of a lane, and what it is answered. For one thread. */
final class Handshake {
  private final Connection connection;
  private final Answers answers;
  private final AgentParts parts;
  private final Consumer<ClientProcess> owner;

  /**
   * @param owner told whose lane this is before that one is: from then on he has to be given back,
   *     also where the answer is not taken
   */
  Handshake(
      Connection connection, Answers answers, AgentParts parts, Consumer<ClientProcess> owner) {
    this.connection = connection;
    this.answers = answers;
    this.parts = parts;
    this.owner = owner;
  }

  /**
   * Waits for it, and answers it.
   *
   * @param in what it is read to
   * @param uid user of the peer, by the kernel
   * @param pid process of the peer, by the kernel
   * @throws EOFException if it was refused, or a question that needs no lane and was answered
   */
  void begin(Frame in, long uid, long pid) throws IOException {
    connection.setTimeout(parts.limits().patience().toNanos());
    if (!connection.receive(in, true)) {
      throw new IOException("nothing was said within " + parts.limits().patience());
    }
    if (in.getInt() != Protocol.MAGIC) {
      throw new MalformedMessageException("no HELLO");
    }
    try {
      switch (in.kind()) {
        case Protocol.HELLO -> hello(in, uid, pid);
        case Protocol.JOIN -> join(in, uid);
        case Protocol.STATUS -> status(in);
        default -> throw new MalformedMessageException("no HELLO");
      }
    } catch (FallbackException e) {
      answers.refuse(in.tag(), e);
      throw new EOFException();
    }
  }

  private void hello(Frame in, long uid, long pid) throws IOException, FallbackException {
    int least = in.getInt();
    int most = in.getInt();
    String name = in.getText(Protocol.NAME_MAX);
    in.end();
    if (least > Protocol.VERSION_MAX || most < Protocol.VERSION_MIN) {
      throw new FallbackException(
          FallbackReason.PROTOCOL_MISMATCH,
          "the process speaks versions "
              + least
              + " to "
              + most
              + ", the agent "
              + Protocol.VERSION_MIN
              + " to "
              + Protocol.VERSION_MAX);
    }
    ClientProcess begun = parts.sessions().begin(new ClientProcess.Owner(uid, pid, name));
    owner.accept(begun);
    welcome(in.tag(), Math.min(most, Protocol.VERSION_MAX), begun);
  }

  private void welcome(int tag, int version, ClientProcess begun) throws IOException {
    answers.send(
        answers
            .begin(Protocol.WELCOME, tag)
            .put(version)
            .put(parts.limits().lanesPerProcess())
            .put(parts.limits().openPerProcess())
            .put(parts.limits().segmentBytes())
            .put(begun.id())
            .put(begun.key(), Protocol.KEY_BYTES));
  }

  private void join(Frame in, long uid) throws IOException, FallbackException {
    int version = in.getInt();
    long id = in.getLong();
    byte[] key = in.getBytes(Protocol.KEY_BYTES);
    in.end();
    if (version < Protocol.VERSION_MIN || version > Protocol.VERSION_MAX) {
      throw new MalformedMessageException("a JOIN of version " + version);
    }
    owner.accept(parts.sessions().join(id, uid, key));
    answers.ok(in.tag());
  }

  private void status(Frame in) throws IOException {
    in.end();
    answers.send(
        answers
            .begin(Protocol.TEXT, in.tag())
            .putBeginning(parts.status().text(), Protocol.MESSAGE_MAX));
    throw new EOFException("all is said");
  }
}
