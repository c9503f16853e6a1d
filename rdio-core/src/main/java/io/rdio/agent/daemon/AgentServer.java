// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.agent.ipc.Connection;
import io.rdio.agent.ipc.Frame;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.thread.DaemonLoop;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.LocalSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent of a host: listens at a local socket and serves each lane on a thread of its own.
 * Thread-safe.
 */
public final class AgentServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentServer.class);

  /** Whoever may enter its folder may connect: what one may read is asked of HDFS. */
  private static final int EVERYBODY = 0666;

  private static final int BACKLOG = 128;
  private static final int ACCEPT_MILLIS = 500;

  private final Path socket;
  private final AgentParts parts;
  private final int listener;
  private final Set<LaneServer> lanes = ConcurrentHashMap.newKeySet();
  private final DaemonThreads threads = new DaemonThreads("rdio-agent-lane");
  private final DaemonLoop accepting;

  /** The message to a process that is turned away. Used by the accepting thread only. */
  private final Frame refusing = new Frame();

  private volatile boolean closed;

  private AgentServer(Path socket, AgentParts parts, int listener) {
    this.socket = socket;
    this.parts = parts;
    this.listener = listener;
    this.accepting =
        new DaemonLoop("rdio-agent-accept", this::acceptOne, parts.counters().failures);
  }

  /**
   * Begins to serve.
   *
   * @param socket path to listen at; what an agent left there that is gone is replaced
   * @throws IOException if the path cannot be listened at, or another agent does
   */
  public static AgentServer start(Path socket, AgentPorts ports, AgentLimits limits)
      throws IOException {
    AgentCounters counters = new AgentCounters();
    Sessions sessions = new Sessions(limits, counters);
    int listener = ListeningSocket.listen(socket, EVERYBODY, BACKLOG);
    WritePorts writes = ports.writes();
    AgentStatus status =
        new AgentStatus(
            counters,
            ports.readContext(),
            () -> writes == null ? Map.of() : writes.blocks().figures());
    AgentParts parts =
        new AgentParts(
            ports,
            limits,
            counters,
            sessions,
            HugePages.ofHost(counters),
            new WritePermits(limits.writes(), counters),
            status);
    AgentServer server = new AgentServer(socket, parts, listener);
    server.accepting.start();
    return server;
  }

  private void acceptOne() throws IOException {
    parts.sessions().reclaim();
    int fd = LocalSocket.accept(listener, ACCEPT_MILLIS);
    if (fd < 0) {
      if (fd != -Errno.EAGAIN && !closed) {
        throw new IOException("accepting a lane at " + socket + ": " + Errno.text(fd));
      }
      return;
    }
    parts.counters().accepted.increment();
    Connection connection = new Connection(fd);
    boolean good = false;
    try {
      serve(connection, connection.peer());
      good = true;
    } catch (FallbackException e) {
      refuse(connection, e);
    } finally {
      if (!good) {
        connection.close();
      }
    }
  }

  /** Tells who connected, who may not have asked yet: nobody waits for that here. */
  private void refuse(Connection connection, FallbackException refusal) {
    parts.counters().refused(refusal.reason());
    LOG.debug("RDIO: a lane was refused", refusal);
    try {
      connection.send(Answers.refusal(refusing, 0, refusal));
    } catch (IOException e) {
      LOG.debug("RDIO: nobody hears why", e);
    }
  }

  private void serve(Connection connection, long[] peer) throws FallbackException {
    UserAccounts accounts = parts.sessions().accounts();
    accounts.addLane(peer[0]);
    LaneServer lane = null;
    boolean good = false;
    try {
      lane = new LaneServer(connection, peer, parts);
      lanes.add(lane);
      start(lane, peer[0]);
      good = true;
    } finally {
      if (!good) {
        if (lane != null) {
          lanes.remove(lane);
        }
        accounts.removeLane(peer[0]);
      }
    }
  }

  private void start(LaneServer lane, long uid) {
    threads.newThread(() -> run(lane, uid)).start();
  }

  private void run(LaneServer lane, long uid) {
    try {
      if (closed) {
        lane.shutdown();
      }
      lane.run();
    } catch (Throwable e) { // of one lane: nobody else's affair
      parts.counters().failures.increment();
      LOG.error("RDIO: a lane of user {} failed", uid, e);
    } finally {
      lanes.remove(lane);
      parts.sessions().accounts().removeLane(uid);
    }
  }

  /**
   * Asks it at its socket how it is, as any process would.
   *
   * @param bound longest wait for a connection, and for the answer
   * @throws FallbackException AGENT_UNAVAILABLE or AGENT_BUSY unless it accepts a connection,
   *     begins a thread for it, and answers. That all lanes are taken is an answer; and where
   *     others have every place in front of it, that it accepts theirs
   */
  public void requireAnswering(Duration bound) throws FallbackException {
    requireAnswering(socket, bound, parts.counters().accepted::sum);
  }

  /**
   * The same of an agent at a socket.
   *
   * @param accepted how many connections it has accepted so far
   */
  static void requireAnswering(Path socket, Duration bound, LongSupplier accepted)
      throws FallbackException {
    long before = accepted.getAsLong();
    try {
      AgentProbe.status(socket.toString(), bound.toNanos());
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.AGENT_BUSY || accepted.getAsLong() == before) {
        throw e;
      }
    }
  }

  /** What it did and does. */
  public AgentCounters counters() {
    return parts.counters();
  }

  /** What it says of itself, for people. */
  public String status() {
    return parts.status().text();
  }

  /** The figures in it. */
  public Map<String, Long> figures() {
    return parts.status().figures();
  }

  /** Ends all lanes, waits a moment for their threads, and takes the socket away. */
  @Override
  public void close() {
    closed = true;
    accepting.end();
    try {
      Files.deleteIfExists(socket); // while it listens: later another agent's may be there
    } catch (IOException e) {
      LOG.warn("RDIO: {} was not taken away", socket, e);
    }
    LocalSocket.shutdown(listener); // or the thread would wait out its time for a connection
    try {
      accepting.awaitEnd(TimeUnit.SECONDS.toMillis(2));
      LocalSocket.close(listener);
      lanes.forEach(LaneServer::shutdown);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      while (!lanes.isEmpty() && System.nanoTime() < end) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
