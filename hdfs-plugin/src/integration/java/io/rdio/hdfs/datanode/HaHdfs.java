// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.it.Fsck;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.io.file.PathUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.ipc.RetriableException;

/**
 * Two NameNodes with one directory of edits, of which one is active, and a DataNode with the plugin
 * for each volume; all in this JVM. Not thread-safe.
 */
final class HaHdfs implements AutoCloseable {
  /** The nameservice. */
  static final String SERVICE = "ha";

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final StateChangeRequestInfo BY_USER =
      new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER);

  private final List<DataNode> dataNodes = new ArrayList<>();
  private final Configuration conf;
  private final Path nameDirectory;
  private final NameNode[] nameNodes = new NameNode[2];

  // A DataNode's thread may have them change.
  private volatile int active;
  private volatile boolean isOneDown;
  private volatile boolean isNobodyActive;

  HaHdfs(LoopFileSystem volume, Path nameDirectory) throws IOException {
    this(List.of(volume), nameDirectory, Map.of());
  }

  /**
   * @param volumes each is a DataNode's
   * @param keys of all daemons
   */
  HaHdfs(List<LoopFileSystem> volumes, Path nameDirectory, Map<String, String> keys)
      throws IOException {
    this.nameDirectory = nameDirectory;
    this.conf = conf(volumes.get(0).mountPoint());
    keys.forEach(conf::set);
    NameNode.format(ownConf(0));
    PathUtils.copyDirectory(folder(0), folder(1));
    for (int i = 0; i < nameNodes.length; i++) {
      start(i);
    }
    nameNodes[0].getRpcServer().transitionToActive(BY_USER);
    for (LoopFileSystem volume : volumes) {
      Configuration own = new Configuration(conf);
      own.set("dfs.datanode.data.dir", volume.mountPoint().resolve("data").toUri().toString());
      dataNodes.add(DataNode.createDataNode(new String[0], own));
    }
    awaitDataNodes();
  }

  private Configuration conf(Path mountPoint) {
    Configuration both = InJvmHdfs.daemonConf(mountPoint);
    both.set("fs.defaultFS", "hdfs://" + SERVICE);
    both.set("dfs.nameservices", SERVICE);
    both.set("dfs.ha.namenodes." + SERVICE, "nn0,nn1");
    both.set(addressKey(0), "127.0.0.1:0");
    both.set(addressKey(1), "127.0.0.1:0");
    both.set("dfs.namenode.shared.edits.dir", nameDirectory.resolve("shared").toUri().toString());
    // Neither knows the other's ports before it is up, and the tests are over before they need to.
    both.set("dfs.ha.standby.checkpoints", "false");
    both.set("dfs.ha.log-roll.period", "-1");
    both.set("dfs.namenode.safemode.extension", "0");
    both.set("dfs.blocksize", Integer.toString(1 << 20));
    both.set("dfs.namenode.fs-limits.min-block-size", "0");
    both.set(
        "dfs.client.failover.proxy.provider." + SERVICE,
        "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
    return both;
  }

  private static String addressKey(int i) {
    return "dfs.namenode.rpc-address." + SERVICE + ".nn" + i;
  }

  private Path folder(int i) {
    return nameDirectory.resolve("nn" + i);
  }

  private Configuration ownConf(int i) {
    Configuration own = new Configuration(conf);
    own.set("dfs.ha.namenode.id", "nn" + i);
    own.set("dfs.namenode.name.dir", folder(i).toUri().toString());
    return own;
  }

  /** As a standby; at the same port as before, if there was one. */
  private void start(int i) throws IOException {
    nameNodes[i] = NameNode.createNameNode(new String[0], ownConf(i));
    conf.set(addressKey(i), "127.0.0.1:" + nameNodes[i].getNameNodeAddress().getPort());
  }

  /** Both NameNodes hear of all blocks, their tokens are good, and the active one may serve. */
  private void awaitDataNodes() {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IllegalStateException.class) // its metrics are not there yet
        .until(
            () ->
                dataNodes.stream().allMatch(this::isReady)
                    && nameNodes[0].getNamesystem().getNumLiveDataNodes() == dataNodes.size()
                    && nameNodes[1].getNamesystem().getNumLiveDataNodes() == dataNodes.size()
                    && !nameNodes[active].isInSafeMode());
  }

  private boolean isReady(DataNode dataNode) {
    return dataNode.isDatanodeFullyStarted(true)
        && InJvmHdfs.metadataPort(dataNode) > 0
        && hasKeysOf(dataNode, nameNodes[0])
        && hasKeysOf(dataNode, nameNodes[1]);
  }

  private static boolean hasKeysOf(DataNode dataNode, NameNode nameNode) {
    FSNamesystem names = nameNode.getNamesystem();
    ExportedBlockKeys keys = names.getBlockManager().getBlockKeys();
    BlockPoolTokenSecretManager known = dataNode.getBlockPoolTokenSecretManager();
    String pool = names.getBlockPoolId();
    return !keys.isBlockTokenEnabled()
        || (known.isBlockPoolRegistered(pool)
            && known.get(pool).hasKey(keys.getCurrentKey().getKeyId()));
  }

  /** The active NameNode ends, and the other one takes over. */
  void crash() throws IOException {
    isOneDown = true;
    isNobodyActive = true;
    nameNodes[active].stop();
    nameNodes[active].join();
    takeOver();
  }

  /** The one that ended is back, as a standby that the DataNodes know. */
  void restart() throws IOException {
    start(1 - active);
    isOneDown = false;
    awaitDataNodes();
  }

  /** The active NameNode gives its place to the other one, and goes on as a standby. */
  void handOver() throws IOException {
    resign();
    takeOver();
  }

  /** The active NameNode is a standby, too: nobody serves, until {@link #takeOver}. */
  void resign() throws IOException {
    isNobodyActive = true;
    nameNodes[active].getRpcServer().transitionToStandby(BY_USER);
  }

  /** The one that was not active last is. */
  void takeOver() throws IOException {
    int other = 1 - active;
    active = other;
    await() // until it has started: it answers before
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(RetriableException.class)
        .until(
            () -> {
              nameNodes[active].getRpcServer().transitionToActive(BY_USER);
              return true;
            });
    await().atMost(PATIENCE).until(() -> !nameNodes[active].isInSafeMode());
    isNobodyActive = false;
  }

  /** Both are there, and one is active, whatever a test left. */
  void repair() throws IOException {
    if (isNobodyActive) {
      takeOver();
    }
    if (isOneDown) {
      restart();
    }
  }

  /** What {@code hdfs fsck} says of all files, while both are there. */
  String fsck() throws Exception {
    Configuration web = new Configuration(conf);
    // Its client stays in the cache otherwise, by a name that another test has, too.
    web.setBoolean("fs.hdfs.impl.disable.cache", true);
    for (int i = 0; i < nameNodes.length; i++) {
      web.set(
          "dfs.namenode.http-address." + SERVICE + ".nn" + i,
          "127.0.0.1:" + nameNodes[i].getHttpAddress().getPort());
    }
    return Fsck.ofAllFiles(web);
  }

  /** Of a client that reads as stock HDFS does, with Hadoop's own provider. */
  Configuration stockConf() {
    return new Configuration(conf);
  }

  /** Of a client that reads by RDIO, and waits for its maps. */
  Configuration rdioConf() {
    Configuration rdio = InJvmHdfs.rdioConf(conf, dataNodes.get(0));
    if (dataNodes.size() > 1) {
      rdio.setInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), 0); // each tells its own
    }
    return rdio;
  }

  /** A new client, for the caller to close. */
  static DistributedFileSystem open(Configuration of) throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(URI.create("hdfs://" + SERVICE), of);
  }

  @Override
  public void close() {
    dataNodes.forEach(DataNode::shutdown);
    for (NameNode nameNode : nameNodes) {
      nameNode.stop();
      nameNode.join();
    }
  }
}
