// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.ReconfigurationTaskStatus;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ReconfigurationProtocol;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/** The volumes that the first DataNode of a cluster uses, which change while it runs. */
public final class DataDirectories {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String DATA_DIRS = "dfs.datanode.data.dir";

  private final Configuration client;
  private final DataNodeConf conf;

  public DataDirectories(Cluster cluster) {
    this.client = cluster.clientConf(false);
    this.conf = new DataNodeConf(cluster);
  }

  /** By {@code dfsadmin -reconfig} has it use these volumes and no others; it does by then. */
  public void use(LoopVolume... volumes) throws Exception {
    String dirs =
        Arrays.stream(volumes)
            .map(volume -> "[DISK]" + volume.mountPoint().resolve("data").toUri())
            .collect(Collectors.joining(","));
    conf.set(DATA_DIRS, dirs);
    String address = conf.get("dfs.datanode.ipc.address");
    assertThat(new DFSAdmin(client).run(new String[] {"-reconfig", "datanode", address, "start"}))
        .isZero();
    ReconfigurationProtocol dataNode =
        DFSUtilClient.createReconfigurationProtocolProxy(
            NetUtils.createSocketAddr(address),
            UserGroupInformation.getCurrentUser(),
            client,
            NetUtils.getDefaultSocketFactory(client));
    await().atMost(PATIENCE).until(() -> dataNode.getReconfigurationStatus().stopped());
    ReconfigurationTaskStatus status = dataNode.getReconfigurationStatus();
    assertThat(status.getStatus()).hasSize(1).allSatisfy((c, error) -> assertThat(error).isEmpty());
  }

  /** Unmounts a volume that it does not use any more, and of which nobody keeps a file open. */
  public static void unmount(LoopVolume volume) {
    String mountPoint = volume.mountPoint().toString();
    await("nobody has a file open on it")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(() -> Command.run("umount", mountPoint));
  }

  /** Mounts it again. */
  public static void mount(LoopVolume volume) throws IOException {
    Command.run("mount", volume.device(), volume.mountPoint().toString());
  }
}
