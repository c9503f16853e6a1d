// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * A few threads in virtual time, each of which takes so long for a task as it is told; the task is
 * done at the end of that. For one thread at a time.
 */
final class VirtualThreads implements Executor {
  private final VirtualTime time;
  private final long nanosEach;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int idle;

  VirtualThreads(VirtualTime time, int count, long nanosEach) {
    this.time = time;
    this.idle = count;
    this.nanosEach = nanosEach;
  }

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
    begin();
  }

  private void begin() {
    if (idle == 0 || waiting.isEmpty()) {
      return;
    }
    idle--;
    Runnable task = waiting.remove();
    time.after(
        nanosEach,
        () -> {
          task.run();
          idle++;
          begin();
        });
  }
}
