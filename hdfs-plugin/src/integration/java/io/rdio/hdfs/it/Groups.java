// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

/** Groups of erasure-coded blocks, as a NameNode knows them. */
public final class Groups {
  private Groups() {}

  /** Blocks of data and of parity in a group, with bytes or without. */
  public static int units(ErasureCodingPolicy policy) {
    return policy.getNumDataUnits() + policy.getNumParityUnits();
  }

  /** Whether each block that has bytes is there, and none of them twice. */
  public static boolean isWhole(LocatedStripedBlock group, ErasureCodingPolicy policy) {
    int wanted = 0;
    for (int unit = 0; unit < units(policy); unit++) {
      long bytes =
          StripedBlockUtil.getInternalBlockLength(
              group.getBlockSize(), policy.getCellSize(), policy.getNumDataUnits(), unit);
      wanted += bytes > 0 ? 1 : 0;
    }
    return group.getBlockIndices().length == wanted;
  }
}
