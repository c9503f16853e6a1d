// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Guards what follows. */
  private final Object lock = new Object();

  private final ArrayDeque<Lane> idle = new ArrayDeque<>();

  /** Of readers that keep a lane, perhaps: those that began earlier first. */
  private final ArrayDeque<KeptReads> keepers = new ArrayDeque<>();

  private int lanes;
  private boolean retired;

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
      connection = connect(settings);
      Frame frame = new Frame();
      frame
          .begin(Protocol.HELLO, 0)
          .put(Protocol.MAGIC)
          .put(Protocol.VERSION_MIN)
          .put(Protocol.VERSION_MAX)
          .put(settings.name(), Protocol.NAME_MAX);
      exchange(connection, frame, Protocol.WELCOME, settings);
      frame.getInt(); // the version: there is one
      Limits limits = new Limits(frame.getInt(), frame.getInt());
      long mostBytes = Math.min(frame.getLong(), settings.memory());
      long id = frame.getLong();
      byte[] key = frame.getBytes(Protocol.KEY_BYTES);
      frame.end();
      segment = SharedSegment.create(Math.max(mostBytes, SharedSegment.leastBytes()));
      frame.begin(Protocol.SEGMENT, 0).put(segment.length());
      connection.send(frame, segment.descriptor());
      answer(connection, frame, Protocol.OK, settings);
      AgentSession session = new AgentSession(settings, segment, id, key, limits);
      session.giveBack(session.adopt(connection));
      good = true;
      return session;
    } catch (IOException e) {
      throw unavailable(settings, e);
    } finally {
      if (!good && connection != null) {
        connection.close();
      }
      if (!good && segment != null) {
        segment.close();
      }
    }
  }

  private static Connection connect(AgentSettings settings) throws IOException {
    Connection connection = Connection.connect(settings.socket());
    connection.setTimeout(settings.patienceNanos());
    return connection;
  }

  private static void exchange(Connection connection, Frame frame, int kind, AgentSettings settings)
      throws IOException, FallbackException {
    connection.send(frame);
    answer(connection, frame, kind, settings);
  }

  private static void answer(Connection connection, Frame frame, int kind, AgentSettings settings)
      throws IOException, FallbackException {
    if (!connection.receive(frame, true)) {
      throw new IOException(
          "no answer within " + settings.patienceNanos() / 1_000_000 + " ms: it hangs");
    }
    if (frame.kind() == Protocol.REFUSED) {
      throw Lane.refusal(frame);
    }
    if (frame.kind() != kind) {
      throw new MalformedMessageException("an answer of kind " + frame.kind() + ", not " + kind);
    }
  }

  private static FallbackException unavailable(AgentSettings settings, IOException e) {
    return new FallbackException(
        FallbackReason.AGENT_UNAVAILABLE, settings.socket() + ": " + e.getMessage(), e);
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

  /** Whether it can be used. */
  boolean isUsable() {
    synchronized (lock) {
      return !retired;
    }
  }

  /**
   * A lane for the calling thread, which gives it back; READs of its last user may be under way.
   *
   * @throws FallbackException AGENT_UNAVAILABLE; BUFFERS_EXHAUSTED where all are in use
   */
  Lane borrow() throws FallbackException {
    boolean joins = false;
    synchronized (lock) {
      Lane lane = idle.pollLast();
      if (lane != null) {
        return lane;
      }
      if (retired) {
        throw new FallbackException(FallbackReason.AGENT_UNAVAILABLE, this + " has ended");
      }
      if (lanes < maxLanes) {
        lanes++;
        joins = true;
      }
    }
    if (joins) {
      return join();
    }
    if (reclaim()) {
      return borrow();
    }
    throw new FallbackException(
        FallbackReason.BUFFERS_EXHAUSTED, "all " + maxLanes + " lanes to " + this + " are in use");
  }

  private Lane join() throws FallbackException {
    Connection connection = null;
    boolean good = false;
    try {
      connection = connect(settings);
      Frame frame = new Frame();
      frame
          .begin(Protocol.JOIN, 0)
          .put(Protocol.MAGIC)
          .put(Protocol.VERSION_MAX)
          .put(id)
          .put(key, Protocol.KEY_BYTES);
      exchange(connection, frame, Protocol.OK, settings);
      Lane lane = new Lane(this, connection, settings.patienceNanos());
      good = true;
      return lane;
    } catch (IOException e) {
      throw unavailable(settings, e);
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

  /**
   * Keeps an opened block for whoever reads it next, in place of the one that is stale, and of some
   * other one if there are too many.
   *
   * @return what somebody else opened meanwhile, or the block
   */
  OpenedBlock keep(BlockName name, OpenedBlock block, @Nullable OpenedBlock stale, Lane lane)
      throws FallbackException {
    OpenedBlock others = opened.putIfAbsent(name, block);
    if (others != null && others != stale) {
      close(block, lane);
      return others;
    }
    if (others != null && opened.replace(name, others, block)) {
      close(others, lane);
    }
    Iterator<OpenedBlock> any = opened.values().iterator();
    while (opened.size() > maxOpen && any.hasNext()) {
      OpenedBlock old = any.next();
      if (old != block) {
        any.remove();
        close(old, lane);
      }
    }
    return block;
  }

  /** Closes a block that could not be read; others that read it open it anew. */
  void forget(BlockName name, OpenedBlock block) {
    Lane lane;
    try {
      lane = borrow();
    } catch (FallbackException e) {
      return; // all of the session has ended; or the next one who cannot read it forgets it
    }
    try {
      if (opened.remove(name, block)) {
        close(block, lane);
      }
    } catch (FallbackException e) {
      // The session has ended, and all that was open with it.
    } finally {
      giveBack(lane);
    }
  }

  private static void close(OpenedBlock block, Lane lane) throws FallbackException {
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
      lane.close();
      laneEnded();
    }
  }

  private void laneEnded() {
    boolean last;
    synchronized (lock) {
      lanes--;
      last = retired && lanes == 0;
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
