// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import java.nio.file.Path;

/**
 * Does something at one step of a room for writes, whenever that comes. There is one for all rooms
 * of a JVM: a test that sets one ends with {@link #none}.
 */
final class InjectedStep extends WriteFaultInjector {
  private final Step step;
  private final Runnable what;

  /** The steps, each at the place before it. */
  enum Step {
    POOL,
    STAGE,
    LEASE,
    TELL,
    HOLD,
    CUT,
    READ_BACK,
    META,
    RENAME,
    LENGTH,
    FINISH,
    SEAL,
    KEEP,
    ANSWER,
    RECYCLE
  }

  private InjectedStep(Step step, Runnable what) {
    this.step = step;
    this.what = what;
  }

  /** From now on, in place of what was injected before. */
  static void at(Step step, Runnable what) {
    WriteFaultInjector.set(new InjectedStep(step, what));
  }

  static void failAt(Step step) {
    at(
        step,
        () -> {
          throw new IllegalStateException("as told");
        });
  }

  /** Nothing is done at any step any more. */
  static void none() {
    WriteFaultInjector.set(new WriteFaultInjector());
  }

  private void come(Step now) {
    if (now == step) {
      what.run();
    }
  }

  @Override
  public void beforePool(Path file) {
    come(Step.POOL);
  }

  @Override
  public void beforeStage(BlockKey block) {
    come(Step.STAGE);
  }

  @Override
  public void beforeLease(BlockKey block) {
    come(Step.LEASE);
  }

  @Override
  public void afterLease(BlockKey block) {
    come(Step.TELL);
  }

  @Override
  public void beforeHold(BlockKey block) {
    come(Step.HOLD);
  }

  @Override
  public void beforeCut(BlockKey block) {
    come(Step.CUT);
  }

  @Override
  public void beforeReadBack(BlockKey block) {
    come(Step.READ_BACK);
  }

  @Override
  public void beforeMeta(BlockKey block) {
    come(Step.META);
  }

  @Override
  public void beforeRename(BlockKey block) {
    come(Step.RENAME);
  }

  @Override
  public void afterRename(BlockKey block) {
    come(Step.LENGTH);
  }

  @Override
  public void beforeFinish(BlockKey block) {
    come(Step.FINISH);
  }

  @Override
  public void beforeSeal(BlockKey block) {
    come(Step.SEAL);
  }

  @Override
  public void beforeKeep(BlockKey block) {
    come(Step.KEEP);
  }

  @Override
  public void beforeAnswer(BlockKey block) {
    come(Step.ANSWER);
  }

  @Override
  public void beforeRecycle(Path kept) {
    come(Step.RECYCLE);
  }
}
