// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * This process's way to the agent of its host: begins a session when one is needed, and another one
 * when that has ended, as after the agent's restart. Safe for any number of threads. librdio must
 * be available.
 */
public final class AgentClient {
  /** How long nobody tries again after the agent did not answer, or had no more to give. */
  static final long BACK_OFF_NANOS = 1_000_000_000;

  private static final ConcurrentHashMap<String, AgentClient> BY_SOCKET = new ConcurrentHashMap<>();

  private final AgentSettings settings;
  private volatile @Nullable AgentSession session;
  private volatile @Nullable Failure failure;

  private static final class Failure {
    final FallbackException refusal;
    final long atNanos = System.nanoTime();

    Failure(FallbackException refusal) {
      this.refusal = refusal;
    }
  }

  AgentClient(AgentSettings settings) {
    this.settings = settings;
  }

  /** The one of a socket in this process; the first settings that name it are kept. */
  public static AgentClient of(AgentSettings settings) {
    AgentClient client = BY_SOCKET.get(settings.socket());
    if (client == null) {
      AgentClient mine = new AgentClient(settings);
      AgentClient others = BY_SOCKET.putIfAbsent(settings.socket(), mine);
      client = others == null ? mine : others;
    }
    return client;
  }

  /**
   * Opens a block for reading. Once it was opened that costs a lookup.
   *
   * @param length where the reader stops, in bytes from the block's start
   * @param readsOn whether it will probably read the following block, too
   * @throws FallbackException AGENT_UNAVAILABLE, or why the agent cannot serve the block;
   *     FIRST_READ or MAP_LOADING where little of it is wanted
   */
  public AgentBlock open(BlockName name, long length, boolean readsOn) throws FallbackException {
    AgentSession now = session();
    OpenedBlock block = now.opened(name);
    if (block == null) {
      int flags = readsOn ? Protocol.READS_ON : 0;
      flags |= length <= settings.firstBytes() ? Protocol.WANTS_LITTLE : 0;
      block = openAnew(now, name, length, flags, null);
    } else {
      block.requireReadable(length);
    }
    return new AgentBlock(this, name, length, false, block);
  }

  /**
   * A reader of a block that this process has opened, for reads that have nothing to do with each
   * other. Asks the agent nothing.
   *
   * @param length as of {@link #open}
   * @return null if the block is not open
   * @throws FallbackException as {@link #open}
   */
  public @Nullable AgentBlock positional(BlockName name, long length) throws FallbackException {
    OpenedBlock block = session().opened(name);
    if (block == null) {
      return null;
    }
    block.requireReadable(length);
    return new AgentBlock(this, name, length, true, block);
  }

  /**
   * Whether the agent would note who opens a block as one more visitor of little, whom stock HDFS
   * serves sooner; it may be that it has the map, and would not.
   *
   * @param length as of {@link #open}
   * @throws FallbackException as {@link #open}
   */
  public boolean isNoted(BlockName name, long length) throws FallbackException {
    return length <= settings.firstBytes() && session().opened(name) == null;
  }

  /**
   * Opens a block that is not, or that the agent knows no more.
   *
   * @param flags of the OPEN
   * @param stale as it was opened before; null if it was not
   */
  OpenedBlock openAnew(
      AgentSession in, BlockName name, long length, int flags, @Nullable OpenedBlock stale)
      throws FallbackException {
    Lane lane = in.borrow();
    try {
      in.makeRoom(lane);
      OpenedBlock block;
      try {
        block = ask(in, name, flags, lane);
      } catch (FallbackException e) {
        // Others may have come before this one to the room that was made.
        if (e.reason() != FallbackReason.AGENT_BUSY || !in.closeAny(lane)) {
          throw e;
        }
        block = ask(in, name, flags, lane);
      }
      try {
        block.requireReadable(length);
      } catch (FallbackException e) {
        in.close(block, lane);
        throw e;
      }
      return in.keep(name, block, stale, lane);
    } finally {
      in.giveBack(lane);
    }
  }

  private static OpenedBlock ask(AgentSession in, BlockName name, int flags, Lane lane)
      throws FallbackException {
    try {
      name.putTo(lane.question(Protocol.OPEN).put(flags));
      return OpenedBlock.of(in, name.toString(), lane.ask(Protocol.OPENED), name.verify());
    } catch (MalformedMessageException e) {
      throw new FallbackException(
          FallbackReason.AGENT_UNAVAILABLE, name + " by " + in + ": " + e.getMessage(), e);
    }
  }

  /**
   * The session of now.
   *
   * @throws FallbackException AGENT_UNAVAILABLE, or what the agent refused with, also for a moment
   *     after it did
   */
  AgentSession session() throws FallbackException {
    AgentSession now = session;
    return now != null && now.isUsable() ? now : begin();
  }

  private synchronized AgentSession begin() throws FallbackException {
    AgentSession now = session;
    if (now != null && now.isUsable()) {
      return now;
    }
    Failure last = failure;
    if (last != null && System.nanoTime() - last.atNanos < BACK_OFF_NANOS) {
      throw last.refusal;
    }
    try {
      now = AgentSession.open(settings);
      session = now;
      failure = null;
      return now;
    } catch (FallbackException e) {
      session = null;
      failure = new Failure(e);
      throw e;
    }
  }

  /** Whether an agent answers and has a session for this process, or did until a moment ago. */
  public boolean answers() {
    try {
      session();
      return true;
    } catch (FallbackException e) {
      return false; // whoever opens a block meets it again
    }
  }

  /** A stand-in for the lanes' own. */
  public AgentBlockWriter allocate(BlockToWrite block) throws FallbackException {
    throw new FallbackException(FallbackReason.WRITE_UNSUPPORTED, "no lanes yet");
  }

  /** Bytes that a stream has under way at most. */
  int readAhead() {
    return settings.readAhead();
  }

  /** Ends the session; the next read begins another one. */
  public void close() {
    AgentSession now = session;
    if (now != null) {
      now.retire();
    }
  }
}
