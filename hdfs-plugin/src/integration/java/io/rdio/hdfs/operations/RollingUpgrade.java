// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.tools.DFSAdmin;

/** A rolling upgrade of a cluster, by an administrator's commands; finalized when it is closed. */
final class RollingUpgrade implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String TRASH = "/trash/";

  private static final String MARKER = "RollingUpgradeInProgress";

  private final Cluster cluster;
  private boolean over;

  private RollingUpgrade(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Begins it; the NameNode can go back from now on, and DataNodes keep what is deleted. */
  static RollingUpgrade prepare(Cluster cluster, DistributedFileSystem stock) throws IOException {
    RollingUpgrade upgrade = new RollingUpgrade(cluster);
    // Without a standby that makes the image.
    upgrade.admin("-safemode", "enter");
    upgrade.admin("-rollingUpgrade", "prepare");
    upgrade.admin("-safemode", "leave");
    assertThat(stock.rollingUpgrade(RollingUpgradeAction.QUERY).createdRollbackImages()).isTrue();
    // They hear of it with a heartbeat, and until then what is deleted is gone.
    await("the DataNodes' markers").atMost(PATIENCE).until(upgrade::isKnownToDataNodes);
    return upgrade;
  }

  private boolean isKnownToDataNodes() throws IOException {
    for (Path mountPoint : mountPoints()) {
      try (Stream<Path> files = Files.walk(mountPoint.resolve("data/current"), 2)) {
        if (files.noneMatch(file -> file.endsWith(MARKER))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Has a DataNode end as for an upgrade, and starts it again. */
  void restart(int index, DatanodeInfo dataNode) throws IOException {
    HadoopDaemon daemon = cluster.dataNode(index);
    ProcessHandle process = ProcessHandle.of(daemon.pid()).orElseThrow();
    admin("-shutdownDatanode", dataNode.getIpcAddr(false), "upgrade");
    await("the end of DataNode " + index).atMost(PATIENCE).until(() -> !process.isAlive());
    daemon.start();
  }

  /** Block files that were deleted since it began and are kept until it is finalized. */
  private List<Path> trash() throws IOException {
    List<Path> blocks = new ArrayList<>();
    for (Path mountPoint : mountPoints()) {
      blocks.addAll(Maps.blockFiles(mountPoint));
    }
    blocks.removeIf(block -> !block.toString().contains(TRASH));
    return blocks;
  }

  /** What is kept of one block that was deleted; other tests' are deleted meanwhile, too. */
  List<Path> trashOf(long block) throws IOException {
    return trash().stream().filter(file -> file.endsWith("blk_" + block)).toList();
  }

  /** Pins of one block, on all DataNodes. */
  List<Path> pinsOf(long block) throws IOException {
    List<Path> pins = new ArrayList<>();
    for (Path mountPoint : mountPoints()) {
      pins.addAll(Maps.pinFiles(mountPoint));
    }
    pins.removeIf(pin -> !pin.toString().contains("." + block + "."));
    return pins;
  }

  private List<Path> mountPoints() {
    List<Path> all = new ArrayList<>();
    for (int i = 0; i < OperationsIT.DATA_NODES; i++) {
      all.add(cluster.volume(i).mountPoint());
    }
    return all;
  }

  /** Ends it: there is no way back, and DataNodes delete what they have kept. */
  void finish() {
    over = true;
    admin("-rollingUpgrade", "finalize");
    await("an empty trash").atMost(PATIENCE).until(() -> trash().isEmpty());
  }

  private void admin(String... command) {
    assertThat(new DFSAdmin(cluster.clientConf(false)).run(command))
        .as(String.join(" ", command))
        .isZero();
  }

  /** Leaves no upgrade to the next test where this one has failed. */
  @Override
  public void close() {
    if (!over) {
      finish();
    }
  }
}
