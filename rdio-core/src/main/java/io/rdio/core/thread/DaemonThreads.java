// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes daemon threads that belong to RDIO alone. A thread is by default of its maker's group and
 * has its maker's context class loader; RDIO's are often made by the first reader, which may be a
 * task whose runner interrupts its whole group at the end, or unloads its classes. Thread-safe.
 */
public final class DaemonThreads implements ThreadFactory {
  private static final ThreadGroup GROUP = new ThreadGroup(topmost(), "rdio");

  private final String name;
  private final AtomicInteger made = new AtomicInteger();

  /**
   * @param name of the threads, before a number
   */
  public DaemonThreads(String name) {
    this.name = name;
  }

  @Override
  public Thread newThread(Runnable work) {
    return daemon(name + "-" + made.incrementAndGet(), work);
  }

  /** One thread, not started, of exactly this name. */
  public static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(GROUP, work, name);
    thread.setDaemon(true);
    thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
    return thread;
  }

  private static ThreadGroup topmost() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }
}
