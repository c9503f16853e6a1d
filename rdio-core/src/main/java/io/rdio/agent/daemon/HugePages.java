// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.nativeio.Errno;
import io.rdio.nativeio.SharedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Puts the memory of processes into huge pages: a device is told of each physically separate piece
 * of a read, and the kernel hands a read of more pieces than the device takes at once to a thread
 * of its own. Thread-safe.
 *
 * <p>The kernel would do so also where the machine's administrator wants no huge pages at all, as
 * some advise for Hadoop's hosts. Then nothing is done, and small pages must do.
 */
class HugePages {
  private static final Path SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  private final boolean wanted;
  private final AgentCounters counters;

  HugePages(boolean wanted, AgentCounters counters) {
    this.wanted = wanted;
    this.counters = counters;
  }

  /** As this machine is set up when the agent starts. */
  static HugePages ofHost(AgentCounters counters) {
    return new HugePages(isWanted(SETTING), counters);
  }

  /**
   * Whether the administrator lets anybody have huge pages.
   *
   * @param setting such as {@code always [madvise] never}; absent where the kernel has none
   */
  static boolean isWanted(Path setting) {
    try {
      return !Files.readString(setting).contains("[never]");
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Has a range of a segment lie in huge pages, as far as it can.
   *
   * @param from a multiple of a huge page, as {@code to} is
   * @return whether some of it might at another time, as somebody reads to it now
   */
  boolean make(SegmentMemory segment, int from, int to) {
    boolean later = false;
    for (int at = from; wanted && at < to; at += SharedMemory.HUGE_PAGE) {
      int error = segment.collapse(at);
      if (error == 0) {
        counters.hugePages.increment();
      } else {
        counters.hugePagesRefused.increment();
        later |= error == -Errno.EAGAIN;
      }
    }
    return later;
  }
}
