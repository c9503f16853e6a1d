// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Work that waits until a test says that the time has passed. */
final class ManualTimer implements ServerTimer {
  private final List<Runnable> waiting = new CopyOnWriteArrayList<>();

  @Override
  public Runnable after(long nanos, Runnable work) {
    waiting.add(work);
    return () -> waiting.remove(work);
  }

  int waiting() {
    return waiting.size();
  }

  void pass() {
    waiting.forEach(Runnable::run);
    waiting.clear();
  }
}
