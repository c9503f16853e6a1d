// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;
import org.jspecify.annotations.Nullable;

/**
 * Which locks of replicas a Hadoop has.
 *
 * @param levels of its lock manager, from the coarsest on, by Hadoop's own names; empty where it
 *     has no lock manager
 * @param readOfDataset what takes the one read lock of a dataset, where there is such a method
 * @param writeOfDataset what takes its write lock
 */
record HadoopLocks(
    List<String> levels,
    @Nullable MethodHandle readOfDataset,
    @Nullable MethodHandle writeOfDataset) {
  private static final String LEVELS =
      "org.apache.hadoop.hdfs.server.common.DataNodeLockManager$LockLevel";

  /** Of the Hadoop whose classes are loaded here. */
  static HadoopLocks here() {
    return new HadoopLocks(
        levelsHere(), ofDataset("acquireDatasetReadLock"), ofDataset("acquireDatasetLock"));
  }

  private static List<String> levelsHere() {
    try {
      Object[] levels =
          Class.forName(LEVELS, true, FsDatasetSpi.class.getClassLoader()).getEnumConstants();
      return Arrays.stream(levels).map(level -> ((Enum<?>) level).name()).toList();
    } catch (ClassNotFoundException e) {
      return List.of();
    }
  }

  private static @Nullable MethodHandle ofDataset(String method) {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(FsDatasetSpi.class, method, MethodType.methodType(AutoCloseableLock.class));
    } catch (NoSuchMethodException | IllegalAccessException e) {
      return null;
    }
  }
}
