// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.BlockKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Places at which tests stop, delay or break remote writes. Each method is named after the step
 * that it stands before or behind, and does nothing here. A test sets its own subclass and resets
 * it with {@code set(new WriteFaultInjector())}.
 */
public class WriteFaultInjector {
  private static final AtomicReference<WriteFaultInjector> CURRENT =
      new AtomicReference<>(new WriteFaultInjector());

  public static WriteFaultInjector get() {
    return Objects.requireNonNull(CURRENT.get());
  }

  public static void set(WriteFaultInjector injector) {
    CURRENT.set(injector);
  }

  /** The file is written and mapped; its stamps are not there yet. */
  public void beforeStamp(Path file) {}

  /** The stamps are there; the file is not in the pool yet. */
  public void beforePool(Path file) {}

  /** Allocate: HDFS has the replica; the slot is still in the pool. */
  public void beforeStage(BlockKey block) {}

  /** Allocate: the slot is durably out of the pool; its extents are not looked at yet. */
  public void afterStage(BlockKey block) {}

  /** Allocate: all is known; there is no lease yet. */
  public void beforeLease(BlockKey block) {}

  /** Allocate: the lease is noted; the client is not told yet. */
  public void afterLease(BlockKey block) {}

  /** Commit: the replica is this thread's; there is no hold link yet. */
  public void beforeHold(BlockKey block) {}

  /** Commit: the hold link is durable; the file is not cut yet. */
  public void beforeCut(BlockKey block) {}

  /** Commit: the file is as long as the block, durably; nothing was read back yet. */
  public void beforeReadBack(BlockKey block) {}

  /** Commit: what was read back is right; the meta file has no CRCs yet. */
  public void beforeMeta(BlockKey block) {}

  /** Commit: the CRCs are durable; the file has not its name yet. */
  public void beforeRename(BlockKey block) {}

  /** Commit: under the lock, the file has its name; HDFS does not know the length yet. */
  public void afterRename(BlockKey block) {}

  /** Commit: HDFS knows name and length; the replica is not finalized yet. */
  public void beforeFinish(BlockKey block) {}

  /** Commit: the replica is finalized; its names are not durable yet. */
  public void beforeSeal(BlockKey block) {}

  /** Commit: all names are durable; the file has no link yet by which it is to be recycled. */
  public void beforeKeep(BlockKey block) {}

  /** Recycling: the block is gone, and the file has no other name than this one. */
  public void beforeRecycle(Path kept) {}

  /** Commit: all is done; nobody is told yet. */
  public void beforeAnswer(BlockKey block) {}
}
