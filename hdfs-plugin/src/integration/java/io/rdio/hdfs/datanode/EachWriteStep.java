// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.allocate.WriteFaultInjector;

/** Does the same at each step of Allocate and Commit. */
public abstract class EachWriteStep extends WriteFaultInjector {
  /**
   * Called at a step, on its thread.
   *
   * @param step name of the injector's method
   */
  protected abstract void at(String step);

  @Override
  public void beforeStage(BlockKey block) {
    at("beforeStage");
  }

  @Override
  public void afterStage(BlockKey block) {
    at("afterStage");
  }

  @Override
  public void beforeLease(BlockKey block) {
    at("beforeLease");
  }

  @Override
  public void afterLease(BlockKey block) {
    at("afterLease");
  }

  @Override
  public void beforeHold(BlockKey block) {
    at("beforeHold");
  }

  @Override
  public void beforeCut(BlockKey block) {
    at("beforeCut");
  }

  @Override
  public void beforeReadBack(BlockKey block) {
    at("beforeReadBack");
  }

  @Override
  public void beforeMeta(BlockKey block) {
    at("beforeMeta");
  }

  @Override
  public void beforeRename(BlockKey block) {
    at("beforeRename");
  }

  @Override
  public void afterRename(BlockKey block) {
    at("afterRename");
  }

  @Override
  public void beforeFinish(BlockKey block) {
    at("beforeFinish");
  }

  @Override
  public void beforeSeal(BlockKey block) {
    at("beforeSeal");
  }

  @Override
  public void beforeKeep(BlockKey block) {
    at("beforeKeep");
  }

  @Override
  public void beforeAnswer(BlockKey block) {
    at("beforeAnswer");
  }
}
