// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

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
    long before = soFar();
    code.run();
    return soFar() - before;
  }

  /** Bytes that this thread has allocated since it began: for code whose exceptions pass. */
  public static long soFar() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /**
   * Fails unless code that can be run again allocates less than a bound: where it does not, it is
   * run a second time, and the smaller figure counts. A first run may load classes, which allocates
   * much where an agent instruments them.
   */
  public static <E extends Exception> void assertBelow(long bound, Code<E> code) throws E {
    long allocated = of(code);
    assertThat(allocated < bound ? allocated : Math.min(allocated, of(code))).isLessThan(bound);
  }
}
