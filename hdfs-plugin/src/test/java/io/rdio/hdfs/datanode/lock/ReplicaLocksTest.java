// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.block.BlockKey;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DataSetLockManager;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;
import org.junit.jupiter.api.Test;

/** Whoever changes a replica as a line of Hadoop does waits while that line's locks are held. */
class ReplicaLocksTest {
  private static final BlockKey BLOCK = new BlockKey("BP-1", 1 << 20, 1001);
  private static final String STORAGE = "DS-1";
  private static final String DIRECTORY = DatanodeUtil.idToBlockDirSuffix(BLOCK.blockId());
  private static final Duration SOON = Duration.ofSeconds(60);

  private static final MethodHandle NONE = null;

  private static HadoopLocks levels(List<String> levels) {
    return new HadoopLocks(levels, NONE, NONE);
  }

  private final DataSetLockManager manager = new DataSetLockManager();
  private final FsDatasetSpi<?> dataset = datasetWith(manager);

  private static FsDatasetSpi<?> datasetWith(DataSetLockManager manager) {
    return (FsDatasetSpi<?>)
        Proxy.newProxyInstance(
            FsDatasetSpi.class.getClassLoader(),
            new Class<?>[] {FsDatasetSpi.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("acquireDatasetLockManager");
              return manager;
            });
  }

  private static void assertWaits(AutoCloseableLock held, Supplier<AutoCloseableLock> alone) {
    AtomicBoolean had = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              AutoCloseableLock lock = alone.get();
              had.set(true);
              lock.close();
            });
    writer.start();
    await().atMost(SOON).until(() -> writer.getState() == Thread.State.WAITING);
    assertThat(had).isFalse();
    held.close();
    await().atMost(SOON).untilTrue(had);
  }

  @Test
  void hadoop35() {
    ReplicaLocks locks = ReplicaLocks.ofThisHadoop("3.5.0");
    assertThat(locks).isInstanceOf(DirectoryLocks.class);
    assertWaits(
        locks.read(dataset, BLOCK, STORAGE),
        () -> manager.writeLock(LockLevel.DIR, BLOCK.poolId(), STORAGE, DIRECTORY));
    assertWaits(
        locks.write(dataset, BLOCK, STORAGE),
        () -> manager.readLock(LockLevel.DIR, BLOCK.poolId(), STORAGE, DIRECTORY));
    assertRecoveryWaits(locks);
  }

  @Test
  void hadoop34() {
    ReplicaLocks locks = ReplicaLocks.among(levels(List.of("BLOCK_POOl", "VOLUME")), "3.4.3");
    assertThat(locks).isInstanceOf(VolumeLocks.class);
    assertWaits(
        locks.read(dataset, BLOCK, STORAGE),
        () -> manager.writeLock(LockLevel.VOLUME, BLOCK.poolId(), STORAGE));
    assertWaits(
        locks.write(dataset, BLOCK, STORAGE),
        () -> manager.readLock(LockLevel.VOLUME, BLOCK.poolId(), STORAGE));
    assertRecoveryWaits(locks);
  }

  /** Hadoop 3.4 begins a recovery under the lock of the pool. */
  private void assertRecoveryWaits(ReplicaLocks locks) {
    assertWaits(
        locks.write(dataset, BLOCK, STORAGE),
        () -> manager.writeLock(LockLevel.BLOCK_POOl, BLOCK.poolId()));
  }

  /** Stands for the dataset of Hadoop 3.3, which has the lock itself. */
  public static final class OldDataset {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    public AutoCloseableLock readLock(Object dataset) {
      return new AutoCloseableLock(lock.readLock()).acquire();
    }

    public AutoCloseableLock writeLock(Object dataset) {
      return new AutoCloseableLock(lock.writeLock()).acquire();
    }
  }

  @Test
  void hadoop33() throws Exception {
    OldDataset old = new OldDataset();
    MethodType type = MethodType.methodType(AutoCloseableLock.class, Object.class);
    MethodHandle read = MethodHandles.lookup().bind(old, "readLock", type);
    MethodHandle write = MethodHandles.lookup().bind(old, "writeLock", type);
    ReplicaLocks locks = ReplicaLocks.among(new HadoopLocks(List.of(), read, write), "3.3.6");
    assertThat(locks).isInstanceOf(DatasetLocks.class);
    assertWaits(locks.read(dataset, BLOCK, STORAGE), () -> old.writeLock(dataset));
    assertWaits(locks.write(dataset, BLOCK, STORAGE), () -> old.readLock(dataset));
  }

  @Test
  void otherHadoopsAreRefused() {
    for (List<String> levels :
        List.of(
            List.<String>of(), List.of("VOLUME"), List.of("BLOCK_POOl", "VOLUME", "DIR", "X"))) {
      assertThatThrownBy(() -> ReplicaLocks.among(levels(levels), "9.1-vendor"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("Hadoop 9.1-vendor")
          .hasMessageContaining(levels.toString())
          .hasMessageContaining("fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5");
    }
  }
}
