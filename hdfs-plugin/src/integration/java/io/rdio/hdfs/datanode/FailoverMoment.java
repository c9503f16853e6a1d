// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.datanode.allocate.WriteFaultInjector;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * When the active NameNode fails, in the write of a file whose first block is committed, and which
 * has two more. A block of an erasure-coded file is a group here.
 */
enum FailoverMoment {
  /** The client has nothing under way. */
  BETWEEN_TWO_BLOCKS,

  /** The NameNode has added the second block, and the client does not hear of it. */
  BEFORE_ADD_BLOCK_IS_ANSWERED,

  /** The client has the second block, and the agent does not know yet whom it is for. */
  BEFORE_ALLOCATE,

  /** The second block is on the device, in the slot that was allocated for it. */
  BEFORE_COMMIT,

  /** A DataNode has finalized its part of the second block, and told nobody. */
  BEFORE_REPORT,

  /** The last block is committed, and the client is about to complete the file. */
  BEFORE_COMPLETE,

  /** The NameNode has completed the file, and the client does not hear of it. */
  BEFORE_COMPLETE_IS_ANSWERED;

  /** Has it happen then, once; in this call, where the client has nothing under way. */
  void arrange(FailoverAtCall.Failover failover) throws IOException {
    switch (this) {
      case BETWEEN_TWO_BLOCKS -> failover.happen();
      case BEFORE_ADD_BLOCK_IS_ANSWERED -> FailoverAtCall.insteadOfAnswer("addBlock", failover);
      case BEFORE_ALLOCATE -> FailoverAtCall.beforeAnswer("addBlock", failover);
      case BEFORE_COMMIT -> atStep("beforeHold", failover);
      case BEFORE_REPORT -> atStep("beforeAnswer", failover);
      case BEFORE_COMPLETE -> FailoverAtCall.before("complete", failover);
      case BEFORE_COMPLETE_IS_ANSWERED -> FailoverAtCall.insteadOfAnswer("complete", failover);
    }
  }

  /** While the first of its DataNodes commits a block, and before that goes on. */
  private static void atStep(String step, FailoverAtCall.Failover failover) {
    WriteFaultInjector.set(
        new WriteStep(
            step,
            () -> {
              try {
                failover.happen();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }));
  }
}
