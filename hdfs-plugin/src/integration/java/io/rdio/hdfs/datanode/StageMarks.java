// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.DeviceLog;
import io.rdio.datanode.allocate.WriteFaultInjector;
import io.rdio.hdfs.datanode.PromisedBlocks.Stage;
import java.nio.file.Path;

/**
 * Says in a device's log how far blocks are, in a DataNode of this JVM: what was told the device
 * before a mark was told it before that step.
 */
final class StageMarks extends WriteFaultInjector {
  /** In the names of files that were kept: behind slot and nonce. */
  private static final int BLOCK_AT = 2;

  private final DeviceLog log;
  private final Stage answered;

  /**
   * One of them.
   *
   * @param block its number
   */
  record Marked(long block, Stage stage) {
    static Marked of(DeviceLog.Mark mark) {
      String[] words = mark.what().split(" ", -1);
      return new Marked(Long.parseLong(words[1]), Stage.valueOf(words[0]));
    }
  }

  /**
   * @param answered what a block is whose Commit is about to be answered
   */
  StageMarks(DeviceLog log, Stage answered) {
    this.log = log;
    this.answered = answered;
  }

  @Override
  public void afterLease(BlockKey block) {
    mark(block.blockId(), Stage.LEASED);
  }

  @Override
  public void beforeHold(BlockKey block) {
    mark(block.blockId(), Stage.COMMITTING);
  }

  @Override
  public void beforeAnswer(BlockKey block) {
    mark(block.blockId(), answered);
  }

  @Override
  public void beforeRecycle(Path kept) {
    markOfOld(kept, Stage.UNNAMED);
  }

  @Override
  public void beforeStamp(Path file) {
    if (!isNew(file)) {
      markOfOld(file, Stage.FREED);
    }
  }

  @Override
  public void beforePool(Path file) {
    if (!isNew(file)) {
      markOfOld(file, Stage.STAMPED);
    }
  }

  private static boolean isNew(Path file) {
    return file.toString().contains("/making/");
  }

  private void markOfOld(Path file, Stage stage) {
    String name = file.getFileName().toString();
    mark(Long.parseLong(name.split("\\.", -1)[BLOCK_AT]), stage);
  }

  /** Notes a step that no injector knows of. */
  void mark(long block, Stage stage) {
    log.mark(stage + " " + block);
  }
}
