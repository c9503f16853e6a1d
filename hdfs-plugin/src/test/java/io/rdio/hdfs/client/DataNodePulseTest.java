// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Patience;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataNodePulseTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final int NOWHERE = 1;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // wraps round

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private DataNodePulse pulse(int pluginPort, Duration timeout) {
    return new DataNodePulse(pluginPort, false, timeout, nanos::get);
  }

  private static LocatedBlock blockAt(DatanodeInfo... dataNodes) {
    String[] storages = new String[dataNodes.length];
    StorageType[] types = new StorageType[dataNodes.length];
    for (int i = 0; i < dataNodes.length; i++) {
      storages[i] = "DS-" + i;
      types[i] = StorageType.DISK;
    }
    return new LocatedBlock(new ExtendedBlock("BP-1", 1, 10, 1001), dataNodes, storages, types);
  }

  private static DatanodeInfo dataNode(String uuid, int port) {
    DatanodeID id = new DatanodeID("127.0.0.1", "localhost", uuid, port, 1, 0, 1);
    return new DatanodeInfo.DatanodeInfoBuilder().setNodeID(id).build();
  }

  private static DatanodeInfo dataNode(int port) {
    return dataNode("uuid-" + port, port);
  }

  @Test
  void aPluginSaysSomethingToWhoeverSpeaksItsProtocol(@TempDir Path root) throws Exception {
    try (MetadataServer plugin =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            1,
            new GrantFixture(root).service)) {
      assertThat(pulse(plugin.port(), LONG).isMissed(blockAt(dataNode(NOWHERE)))).isFalse();
    }
  }

  /** As one does whose process is stopped. */
  @Test
  void oneThatTakesConnectionsAndSaysNothingIsMissed() throws Exception {
    try (ServerSocket silent = listener()) {
      assertThat(pulse(silent.getLocalPort(), SHORT).isMissed(blockAt(dataNode(NOWHERE)))).isTrue();
    }
  }

  @Test
  void oneThatEndsTheConversationIsThere() throws Exception {
    try (ServerSocket rude = listener()) {
      Thread ending =
          new Thread(
              () -> {
                try {
                  rude.accept().close();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      ending.start();
      assertThat(pulse(rude.getLocalPort(), LONG).isMissed(blockAt(dataNode(NOWHERE)))).isFalse();
      Patience.join(ending);
    }
  }

  @Test
  void whereThePortIsNotKnownAConnectionToTheDataNodeWillDo() throws Exception {
    int port;
    try (ServerSocket dataNode = listener()) {
      port = dataNode.getLocalPort();
      assertThat(pulse(0, LONG).isMissed(blockAt(dataNode(port)))).isFalse();
    }
    assertThat(pulse(0, LONG).isMissed(blockAt(dataNode(port)))).isTrue();
  }

  @Test
  void anAnswerIsGoodForAMoment() throws Exception {
    DataNodePulse pulse = pulse(0, LONG);
    LocatedBlock block;
    try (ServerSocket dataNode = listener()) {
      block = blockAt(dataNode(dataNode.getLocalPort()));
      assertThat(pulse.isMissed(block)).isFalse();
    }
    nanos.addAndGet(DataNodePulse.FRESH_NANOS - 1);
    assertThat(pulse.isMissed(block)).isFalse();
    nanos.incrementAndGet();
    assertThat(pulse.isMissed(block)).isTrue();
  }

  @Test
  void anyOfItsDataNodesMayBeTheMissedOne() throws Exception {
    int gone;
    try (ServerSocket other = listener()) {
      gone = other.getLocalPort();
    }
    try (ServerSocket dataNode = listener()) {
      int port = dataNode.getLocalPort();
      assertThat(pulse(0, LONG).isMissed(blockAt(dataNode(port), dataNode(gone)))).isTrue();
      assertThat(pulse(0, LONG).isMissed(blockAt(dataNode("rdio-unlisted-1", port)))).isTrue();
      assertThat(pulse(0, LONG).isMissed(blockAt())).isTrue();
    }
  }

  /** Who speaks plain text to it would hear nothing. */
  @Test
  void aPluginWithTlsIsNotSpokenTo() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(RdioConfigKeys.CLIENT_TLS.mode().name(), "on");
    try (ServerSocket plugin = listener();
        ServerSocket dataNode = listener()) {
      conf.setInt(RdioConfigKeys.CLIENT_DATANODE_PORT.name(), plugin.getLocalPort());
      LocatedBlock block = blockAt(dataNode(dataNode.getLocalPort()));
      assertThat(DataNodePulse.of(conf, LONG).isMissed(block)).isFalse();
    }
  }
}
