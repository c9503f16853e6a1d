// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What a piece of code allocates on the heap. */
public final class Allocation {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocation() {}

  /** Code that may throw whatever it is made to throw. */
  @FunctionalInterface
  public interface Code<E extends Exception> {
    void run() throws E;
  }

  /** Bytes that this thread allocates in it, thrown exceptions included. */
  public static <E extends Exception> long of(Code<E> code) throws E {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    code.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  /**
   * The same of code that can be run again, to be compared with a bound: where it is not below, the
   * code is run a second time, and the smaller figure counts. A first run may load classes, which
   * allocates much where an agent instruments them.
   */
  public static <E extends Exception> long ofRepeatable(long bound, Code<E> code) throws E {
    long first = of(code);
    return first < bound ? first : Math.min(first, of(code));
  }
}
