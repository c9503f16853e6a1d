// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.TargetRefusedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of this process to the agent, and the READs, or the questions of a writer, that are
 * under way on it. Answers come in the order of the questions. For one thread at a time.
 */
final class Lane {
  /** How soon an interrupt is noticed: nothing of the JVM's wakes a thread from the kernel. */
  private static final long SLICE_NANOS = 100_000_000;

  private final AgentSession session;
  private final Connection connection;
  private final long patienceNanos;
  private final Frame out = new Frame();
  private final Frame in = new Frame();
  private final LaneReads reads;

  // READs under way, the oldest first: tag t is of window t % READS_MAX.
  private final Window[] windows = new Window[Protocol.READS_MAX];
  private int nextTag;
  private int oldestTag;

  /**
   * @param connection of the session, to which it belongs
   * @param patienceNanos how long an answer is waited for
   */
  Lane(AgentSession session, Connection connection, long patienceNanos) throws IOException {
    this.session = session;
    this.connection = connection;
    this.patienceNanos = patienceNanos;
    this.reads = new LaneReads(this);
    connection.setTimeout(Math.min(SLICE_NANOS, patienceNanos));
  }

  AgentSession session() {
    return session;
  }

  /** What its user reads on it; empty when nobody uses it. */
  LaneReads reads() {
    return reads;
  }

  /**
   * Places to do anything at all with, as of {@link SharedSegment#take}: free ones, those of who
   * only keeps them, or the next that are given back; null if there are none.
   */
  @Nullable Window firstPlaces(int bytes) {
    SharedSegment segment = session.segment();
    Window window = segment.take(bytes);
    if (window == null && session.reclaim()) {
      window = segment.take(bytes);
    }
    return window == null ? segment.await(bytes, patienceNanos) : window;
  }

  /** A message to be {@linkplain #ask sent}. */
  Frame question(int kind) {
    return out.begin(kind, nextTag);
  }

  /**
   * Sends the {@link #question}, waits for its answer, and gives that to be read. No READ may be
   * under way.
   *
   * @param kind of the answer if it is no refusal
   * @throws FallbackException what the agent refused with; AGENT_UNAVAILABLE if it is gone;
   *     INTERRUPTED
   */
  Frame ask(int kind) throws FallbackException {
    send();
    int tag = nextTag++;
    oldestTag = nextTag;
    boolean answered = false;
    try {
      await(tag, kind, patienceNanos, true);
      answered = true;
    } finally {
      if (!answered) {
        session.retire(); // or the answer would be taken for that to the next question
      }
    }
    requireGranted();
    return in;
  }

  /** Sends the {@link #question} of a writer, without waiting: its {@link #answer} is due. */
  void post() throws FallbackException {
    nextTag++;
    send();
  }

  /**
   * Waits for the answer to the oldest question that was posted, and gives that to be read.
   *
   * @param kind of the answer if it is no refusal
   * @throws FallbackException what the agent refused with; AGENT_UNAVAILABLE if it is gone;
   *     INTERRUPTED, and then the answer is still due
   */
  Frame answer(int kind, long limitNanos) throws FallbackException {
    await(oldestTag, kind, limitNanos, true);
    oldestTag++;
    requireGranted();
    return in;
  }

  /**
   * Waits for all answers that are due to a writer, whatever they say, also when interrupted.
   *
   * @return whether they came in time; else this lane must be ended
   */
  boolean skipAnswers(long limitNanos) throws FallbackException {
    while (oldestTag != nextTag) {
      if (!receive(oldestTag, limitNanos, false)) {
        return false;
      }
      oldestTag++;
    }
    return true;
  }

  /** Sends the {@link #question}, which has no answer. */
  void tell() throws FallbackException {
    send();
  }

  /** How many READs can be begun now. */
  int room() {
    return Protocol.READS_MAX - (nextTag - oldestTag);
  }

  /** Sends the {@link #question}, a READ to a window, without waiting. */
  void begin(Window window) throws FallbackException {
    window.underWay = true;
    windows[nextTag % Protocol.READS_MAX] = window;
    nextTag++;
    send();
  }

  /** Waits until a READ that is under way has been answered, and all before it. */
  void finish(Window window) throws FallbackException {
    finish(window, patienceNanos, true);
  }

  /**
   * The same for a READ that nobody wants any more: waits for a moment only, also when interrupted.
   */
  void discard(Window window) throws FallbackException {
    finish(window, Math.min(patienceNanos, SLICE_NANOS), false);
  }

  private void finish(Window window, long limitNanos, boolean heedsInterrupts)
      throws FallbackException {
    while (window.underWay) {
      Window oldest = windows[oldestTag % Protocol.READS_MAX];
      await(oldestTag, Protocol.DONE, limitNanos, heedsInterrupts);
      windows[oldestTag % Protocol.READS_MAX] = null;
      oldestTag++;
      oldest.underWay = false;
      readDone(oldest);
    }
  }

  private void readDone(Window window) throws FallbackException {
    try {
      if (in.kind() == Protocol.REFUSED) {
        window.refuse(refusal(in));
      } else {
        window.take(in.getInt(), in.getInt());
        in.end();
      }
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private void send() throws FallbackException {
    try {
      connection.send(out);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** Waits for the answer with a tag: one of a kind, or a refusal. */
  private void await(int tag, int kind, long limitNanos, boolean heedsInterrupts)
      throws FallbackException {
    if (!receive(tag, limitNanos, heedsInterrupts)) {
      throw broken(new IOException("no answer within " + limitNanos / 1_000_000 + " ms"));
    }
    boolean isRefusal =
        in.kind() == Protocol.REFUSED
            || (in.kind() == Protocol.REFUSED_TARGET && kind == Protocol.ALLOCATED);
    if (in.kind() != kind && !isRefusal) {
      throw broken(
          new MalformedMessageException("an answer of kind " + in.kind() + ", not " + kind));
    }
  }

  /** Whether the next answer came in time, which is then one to the question with this tag. */
  private boolean receive(int tag, long limitNanos, boolean heedsInterrupts)
      throws FallbackException {
    try {
      long begun = System.nanoTime();
      while (!connection.receive(in, true)) {
        if (heedsInterrupts && Thread.currentThread().isInterrupted()) {
          throw new FallbackException(FallbackReason.INTERRUPTED, "waiting for the agent");
        }
        if (System.nanoTime() - begun >= limitNanos) {
          return false;
        }
      }
      if (in.tag() != tag) {
        throw new MalformedMessageException("an answer to " + in.tag() + " instead of " + tag);
      }
      return true;
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** Throws what the answer refuses with, if it does. */
  private void requireGranted() throws FallbackException {
    try {
      if (in.kind() == Protocol.REFUSED_TARGET) {
        int target = in.getInt();
        FallbackException refusal = refusal(in);
        throw new TargetRefusedException(target, refusal.reason(), refusal.detail());
      }
      if (in.kind() == Protocol.REFUSED) {
        throw refusal(in);
      }
    } catch (IOException e) {
      throw broken(e);
    }
  }

  /** What a REFUSED says. */
  static FallbackException refusal(Frame refused) throws MalformedMessageException {
    String name = refused.getText(Protocol.NAME_MAX);
    String detail = refused.getText(Protocol.DETAIL_MAX);
    refused.end();
    return new FallbackException(reasonOf(name), detail);
  }

  /** A newer agent may have reasons that are not known here. */
  private static FallbackReason reasonOf(String name) {
    for (FallbackReason reason : FallbackReason.values()) {
      if (reason.name().equals(name)) {
        return reason;
      }
    }
    return FallbackReason.AGENT_UNAVAILABLE;
  }

  /** Ends the session, in which nothing can be relied on any more; what to throw. */
  FallbackException broken(IOException e) {
    session.retire();
    return new FallbackException(
        FallbackReason.AGENT_UNAVAILABLE, session + ": " + e.getMessage(), e);
  }

  void close() {
    connection.close();
  }
}
