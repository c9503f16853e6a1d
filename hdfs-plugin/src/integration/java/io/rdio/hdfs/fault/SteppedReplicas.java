// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import java.util.List;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Files of replicas: recovery makes them of what was written, and may leave some to be made. */
final class SteppedReplicas implements SteppedFiles.Blocks {
  @Override
  public long most(long written) {
    return written;
  }

  @Override
  public boolean isWhole(LocatedBlock block) {
    return true;
  }

  @Override
  public List<Long> numbers(LocatedBlock block) {
    return List.of(block.getBlock().getBlockId());
  }

  @Override
  public byte[] expected(SteppedFiles.Written file, LocatedBlock block, long number, int length) {
    return file.content(block.getStartOffset(), length);
  }
}
