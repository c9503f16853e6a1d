// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

/** How a process talks to the agent of its host. Immutable. */
public final class AgentSettings {
  private final String socket;
  private final String name;
  private final long memory;
  private final long patienceNanos;
  private final int readAhead;

  /**
   * Settings.
   *
   * @param socket path where the agent listens
   * @param name of this process, for people who look at the agent
   * @param memory bytes that may be shared with it at most
   * @param patienceNanos how long an answer is waited for
   * @param readAhead bytes that a stream has under way at most
   */
  public AgentSettings(String socket, String name, long memory, long patienceNanos, int readAhead) {
    this.socket = socket;
    this.name = name;
    this.memory = memory;
    this.patienceNanos = patienceNanos;
    this.readAhead = readAhead;
  }

  String socket() {
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

  int readAhead() {
    return readAhead;
  }
}
