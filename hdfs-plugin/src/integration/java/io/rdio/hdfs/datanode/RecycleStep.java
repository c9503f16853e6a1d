// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.datanode.allocate.WriteFaultInjector;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the first one who comes to a step of recycling wait there, in a DataNode of this JVM, and
 * fail behind it, as one whose DataNode has ended.
 */
final class RecycleStep extends WriteFaultInjector {
  private final String step;
  private final Hold hold;
  private final AtomicBoolean passed = new AtomicBoolean();

  /**
   * @param step name of the injector's method
   */
  RecycleStep(String step, Hold hold) {
    this.step = step;
    this.hold = hold;
  }

  @Override
  public void beforeRecycle(Path kept) {
    at("beforeRecycle");
  }

  @Override
  public void beforeStamp(Path file) {
    atOfOld("beforeStamp", file);
  }

  @Override
  public void beforePool(Path file) {
    atOfOld("beforePool", file);
  }

  /** Not of a slot that is made anew. */
  private void atOfOld(String now, Path file) {
    if (file.toString().contains("/leased/")) {
      at(now);
    }
  }

  private void at(String now) {
    if (now.equals(step) && passed.compareAndSet(false, true)) {
      hold.pass();
      throw new IllegalStateException("ended with its DataNode");
    }
  }
}
