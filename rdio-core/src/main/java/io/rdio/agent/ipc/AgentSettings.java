// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/** How a process talks to the agent of its host. Immutable. */
public final class AgentSettings {
  /** Some hundred years, and a sum with a time of now is still right. */
  private static final long FOR_EVER_NANOS = Long.MAX_VALUE / 2;

  private static final long GREETING_NANOS = 10_000_000_000L;

  /**
   * How long the answer to a writer is waited for. An agent has bounds of its own for DataNodes,
   * which are asked again and again; a device takes as long as it takes, but not for ever.
   */
  private static final long WRITE_PATIENCE_NANOS = 300_000_000_000L;

  private final String socket;
  private final String name;
  private final long memory;
  private final long patienceNanos;
  private final int readAhead;
  private final long firstBytes;
  private final long writePatienceNanos;

  /**
   * Settings.
   *
   * @param socket path where the agent listens
   * @param name of this process, for people who look at the agent
   * @param memory bytes that may be shared with it at most
   * @param patienceNanos how long the answer to a read is waited for; 0 for as long as it takes
   * @param readAhead bytes that a stream has under way at most
   * @param firstBytes who wants no more than so many first bytes of a block lets stock HDFS serve
   *     them while the agent does not have its map
   */
  public AgentSettings(
      String socket, String name, long memory, long patienceNanos, int readAhead, long firstBytes) {
    this(socket, name, memory, patienceNanos, readAhead, firstBytes, WRITE_PATIENCE_NANOS);
  }

  /**
   * The same with another patience of writers.
   *
   * @param writePatienceNanos how long the answer to a writer is waited for
   */
  AgentSettings(
      String socket,
      String name,
      long memory,
      long patienceNanos,
      int readAhead,
      long firstBytes,
      long writePatienceNanos) {
    this.socket = socket;
    this.name = name;
    this.memory = memory;
    this.patienceNanos = patienceNanos == 0 ? FOR_EVER_NANOS : patienceNanos;
    this.readAhead = readAhead;
    this.firstBytes = firstBytes;
    this.writePatienceNanos = writePatienceNanos;
  }

  /** Path where the agent listens. */
  public String socket() {
    return socket;
  }

  String name() {
    return name;
  }

  long memory() {
    return memory;
  }

  long patienceNanos() {
    return patienceNanos;
  }

  long writePatienceNanos() {
    return writePatienceNanos;
  }

  /** How long a message waits that no device is asked for: never without end. */
  long greetingNanos() {
    return patienceNanos == FOR_EVER_NANOS ? GREETING_NANOS : patienceNanos;
  }

  int readAhead() {
    return readAhead;
  }

  long firstBytes() {
    return firstBytes;
  }
}
