// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DF;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReservedSpaceCalculator.ReservedSpaceCalculatorAbsolute;

/**
 * Holds a real append between its look at the link count and its change, under HDFS's lock: that is
 * where it asks how much room the volume has. By {@code dfs.datanode.du.reserved.calculator}, and
 * in this package because what it overrides is visible in no other.
 */
public final class HeldAppend extends ReservedSpaceCalculatorAbsolute {
  private static final AtomicReference<Runnable> STEP = new AtomicReference<>(() -> {});

  /** As HDFS calls it. */
  public HeldAppend(Configuration conf, DF usage, StorageType type, String folder) {
    super(conf, usage, type, folder);
  }

  /** Run by each append at that point from now on. */
  public static void at(Runnable step) {
    STEP.set(step);
  }

  @Override
  long getReserved() {
    boolean appends =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames.anyMatch(
                        frame ->
                            frame.getMethodName().equals("append")
                                && frame.getClassName().equals(FsVolumeImpl.class.getName())));
    if (appends) {
      STEP.get().run();
    }
    return super.getReserved();
  }
}
