// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

/**
 * The keys by which the hosts of agents are registered (W8 of docs/remote-writes.md). All keys of
 * one agent's process have the same first 52 bits, which are its name; the last 12 count its
 * registrations with one device, from 1 on. So no key is ever used twice, a DataNode that was told
 * the name finds the key of the day, and a host can tell which key is an agent's, to be replaced.
 */
public final class AgentKey {
  private static final int COUNT_BITS = 12;
  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

  /** The first bits of all of them: "RD". */
  private static final long MARK = 0x5244L;

  private static final int MARK_SHIFT = 48;
  private static final long RANDOM_MASK = ((1L << MARK_SHIFT) - 1) & ~COUNT_MASK;

  private AgentKey() {}

  /**
   * The name of a process. Never 0.
   *
   * @param random bits, 36 of which are taken
   */
  public static long name(long random) {
    return (MARK << MARK_SHIFT) | (random & RANDOM_MASK);
  }

  /**
   * The key for the next registration with a device.
   *
   * @param last key of the one before, or the name
   * @return 0 if there is none left
   */
  public static long next(long last) {
    return (last & COUNT_MASK) == COUNT_MASK ? 0 : last + 1;
  }

  /** Whether it is the key of some agent. */
  static boolean isAgents(long key) {
    return key >>> MARK_SHIFT == MARK && (key & COUNT_MASK) != 0;
  }

  /** Whether it is a key of the process with this name; false for what is no name. */
  static boolean isOf(long key, long name) {
    return isAgents(key) && (key & ~COUNT_MASK) == name;
  }
}
