// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * This process's session with an agent: its shared segment, and the lanes that nobody uses at
 * present. Safe for any number of threads.
 *
 * <p>A session that failed is retired, never mended: nobody gets a lane of it any more, and when
 * the last one is given back all of it is freed.
 */
final class AgentSession {
  private final AgentSettings settings;
  private final SharedSegment segment;
  private final long id;
  private final byte[] key;
  private final int maxLanes;
  private final int maxOpen;
  private final ConcurrentHashMap<BlockName, OpenedBlock> opened = new ConcurrentHashMap<>();

  /** Blocks that were forgotten, and that the agent still has open. */
  private final ConcurrentLinkedQueue<OpenedBlock> unclosed = new ConcurrentLinkedQueue<>();

  /** Guards what follows. */
  private final Object lock = new Object();

  private final ArrayDeque<Lane> idle = new ArrayDeque<>();

  /** Of readers that keep a lane, perhaps: those that began earlier first. */
  private final ArrayDeque<KeptReads> keepers = new ArrayDeque<>();

  private int lanes;
  private boolean retired;

  /** Why the agent gave no further lane a moment ago, and when. */
  private @Nullable FallbackException noLane;

  private long noLaneNanos;

  private AgentSession(
      AgentSettings settings, SharedSegment segment, long id, byte[] key, Limits limits) {
    this.settings = settings;
    this.segment = segment;
    this.id = id;
    this.key = key;
    this.maxLanes = limits.lanes;
    this.maxOpen = limits.open;
  }

  /** What the agent allows a session. */
  private static final class Limits {
    final int lanes;
    final int open;

    Limits(int lanes, int open) {
      this.lanes = Math.max(1, lanes);
      this.open = Math.max(1, open);
    }
  }

  /**
   * Begins a session.
   *
   * @throws FallbackException AGENT_UNAVAILABLE, or what the agent refused with
   */
  static AgentSession open(AgentSettings settings) throws FallbackException {
    Connection connection = null;
    SharedSegment segment = null;
    boolean good = false;
    try {
      connection = Greeting.connect(settings.socket(), 0, settings.greetingNanos());
      Frame frame = new Frame();
      frame
          .begin(Protocol.HELLO, 0)
          .put(Protocol.MAGIC)
          .put(Protocol.VERSION_MIN)
          .put(Protocol.VERSION_MAX)
          .put(settings.name(), Protocol.NAME_MAX);
      Greeting.exchange(connection, frame, Protocol.WELCOME, settings.greetingNanos());
      frame.getInt(); // the version: there is one
      Limits limits = new Limits(frame.getInt(), frame.getInt());
      long mostBytes = Math.min(frame.getLong(), settings.memory());
      long id = frame.getLong();
      byte[] key = frame.getBytes(Protocol.KEY_BYTES);
      frame.end();
      segment = SharedSegment.create(Math.max(mostBytes, SharedSegment.leastBytes()));
      frame.begin(Protocol.SEGMENT, 0).put(segment.length());
      connection.send(frame, segment.descriptor());
      Greeting.answer(connection, frame, Protocol.OK, settings.greetingNanos());
      AgentSession session = new AgentSession(settings, segment, id, key, limits);
      session.giveBack(session.adopt(connection));
      good = true;
      return session;
    } catch (IOException e) {
      throw Greeting.unavailable(settings.socket(), e);
    } finally {
      if (!good && connection != null) {
        connection.close();
      }
      if (!good && segment != null) {
        segment.close();
      }
    }
  }

  private Lane adopt(Connection connection) throws IOException {
    synchronized (lock) {
      lanes++;
    }
    return new Lane(this, connection, settings.patienceNanos());
  }

  SharedSegment segment() {
    return segment;
  }

  /** How long the answer to a writer is waited for. */
  long writePatienceNanos() {
    return settings.writePatienceNanos();
  }

  /** Whether it can be used. */
  boolean isUsable() {
    synchronized (lock) {
      return !retired;
    }
  }

  /**
   * A lane for the calling thread, which gives it back; READs of its last user may be under way.
   *
   * @throws FallbackException AGENT_UNAVAILABLE; where all are in use BUFFERS_EXHAUSTED, or
   *     AGENT_BUSY where the agent has no more to give
   */
  Lane borrow() throws FallbackException {
    boolean joins = false;
    FallbackException busy = null;
    synchronized (lock) {
      Lane lane = idle.pollLast();
      if (lane != null) {
        return lane;
      }
      if (retired) {
        throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, this + " has ended");
      }
      if (lanes < maxLanes) {
        busy = noLane();
        joins = busy == null;
        lanes += joins ? 1 : 0;
      }
    }
    if (joins) {
      try {
        return join();
      } catch (FallbackException e) {
        busy = e;
        if (e.reason() != FallbackReason.AGENT_BUSY) {
          throw e;
        }
      }
    }
    if (reclaim()) {
      return borrow();
    }
    if (busy != null) {
      throw busy;
    }
    throw new FallbackException(
        FallbackReason.BUFFERS_EXHAUSTED, "all " + maxLanes + " lanes to " + this + " are in use");
  }

  /** Why there is no use in asking for a further lane at present; null if there may be. */
  private @Nullable FallbackException noLane() {
    if (noLane != null && System.nanoTime() - noLaneNanos >= AgentClient.BACK_OFF_NANOS) {
      noLane = null;
    }
    return noLane;
  }

  private void remember(FallbackException refusal) {
    synchronized (lock) {
      noLane = refusal;
      noLaneNanos = System.nanoTime();
    }
  }

  private Lane join() throws FallbackException {
    Connection connection = null;
    boolean good = false;
    try {
      connection = Greeting.connect(settings.socket(), 0, settings.greetingNanos());
      Frame frame = new Frame();
      frame
          .begin(Protocol.JOIN, 0)
          .put(Protocol.MAGIC)
          .put(Protocol.VERSION_MAX)
          .put(id)
          .put(key, Protocol.KEY_BYTES);
      Greeting.exchange(connection, frame, Protocol.OK, settings.greetingNanos());
      Lane lane = new Lane(this, connection, settings.patienceNanos());
      good = true;
      return lane;
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.AGENT_BUSY) {
        remember(e);
      } else {
        retire(); // the agent does not know it, as one that was started anew
      }
      throw e;
    } catch (IOException e) {
      retire(); // or each reader would find out for itself, for as long
      throw Greeting.unavailable(settings.socket(), e);
    } finally {
      if (!good) {
        if (connection != null) {
          connection.close();
        }
        laneEnded();
      }
    }
  }

  /** Notes that a reader keeps a lane and places, which others may take in need. */
  void keeps(KeptReads keeper) {
    synchronized (lock) {
      if (keepers.size() >= 2 * maxLanes) {
        keepers.removeIf(KeptReads::isEmpty);
      }
      keepers.remove(keeper);
      keepers.addLast(keeper);
    }
  }

  /** Frees what the reader keeps that has not moved on for longest; false if none keeps any. */
  boolean reclaim() {
    while (true) {
      KeptReads keeper;
      synchronized (lock) {
        keeper = keepers.pollFirst();
      }
      if (keeper == null) {
        return false;
      }
      LaneReads reads = keeper.take();
      if (reads != null) {
        reads.end();
        return true;
      }
    }
  }

  /** A block that is open; null if it is not. */
  @Nullable OpenedBlock opened(BlockName name) {
    return opened.get(name);
  }

  /** Closes so many blocks that the agent, which counts them, lets this process open another. */
  void makeRoom(Lane lane) throws FallbackException {
    for (OpenedBlock old = unclosed.poll(); old != null; old = unclosed.poll()) {
      close(old, lane);
    }
    boolean closed = true;
    while (closed && opened.size() >= maxOpen) {
      closed = closeAny(lane);
    }
  }

  /** Closes a block; false if none is open. */
  boolean closeAny(Lane lane) throws FallbackException {
    for (Map.Entry<BlockName, OpenedBlock> any : opened.entrySet()) {
      OpenedBlock old = any.getValue();
      if (opened.remove(any.getKey(), old)) {
        close(old, lane);
        return true;
      }
    }
    return false;
  }

  /**
   * Keeps an opened block for whoever reads it next, in place of the one that is stale.
   *
   * @return what somebody else opened meanwhile, or the block
   */
  OpenedBlock keep(BlockName name, OpenedBlock block, @Nullable OpenedBlock stale, Lane lane)
      throws FallbackException {
    while (true) {
      OpenedBlock others = opened.putIfAbsent(name, block);
      if (others == null) {
        return block;
      }
      if (others != stale) {
        close(block, lane);
        return others;
      }
      if (opened.replace(name, others, block)) {
        close(others, lane);
        return block;
      }
    }
  }

  /**
   * Has a block that could not be read opened anew by whoever reads it next. The agent is told when
   * the next block is opened: it may be the one that does not answer.
   */
  void forget(BlockName name, OpenedBlock block) {
    if (opened.remove(name, block)) {
      unclosed.add(block);
    }
  }

  /** Tells the agent that nobody reads a block any more; reads of it that are under way fail. */
  void close(OpenedBlock block, Lane lane) throws FallbackException {
    lane.question(Protocol.CLOSE).put(block.handle());
    lane.tell();
  }

  /** Takes a lane back; nothing of it is used by the caller any more. */
  void giveBack(Lane lane) {
    synchronized (lock) {
      if (!retired) {
        idle.addLast(lane);
        return;
      }
    }
    end(lane);
  }

  /**
   * Ends a lane whose last questions nobody hears the answers to, in place of {@link #giveBack};
   * the agent may write to no place for it any more.
   */
  void end(Lane lane) {
    lane.close();
    laneEnded();
  }

  /** Has nobody begin anything with it any more; idempotent. */
  void retire() {
    ArrayDeque<Lane> ended;
    synchronized (lock) {
      retired = true;
      ended = new ArrayDeque<>(idle);
      idle.clear();
    }
    for (Lane lane : ended) {
      end(lane);
    }
  }

  /** With its last lane the session has ended at the agent, too. */
  private void laneEnded() {
    boolean last;
    synchronized (lock) {
      lanes--;
      last = lanes == 0;
      retired |= last;
    }
    if (last) {
      segment.close();
    }
  }

  /** For people. */
  @Override
  public String toString() {
    return "the agent at " + settings.socket();
  }
}
