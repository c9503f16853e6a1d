// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.client.namenode.NameNodes;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process cannot have the agent write where the NameNode does not. None of these is asked. */
class ChosenTargetsTest {
  private static final URI FIRST = URI.create("hdfs://first:8020");
  private static final URI SECOND = URI.create("hdfs://second:8020");
  private static final BlockKey BLOCK = new BlockKey("BP-1", 7, 8);
  private static final DataNodeId ONE = new DataNodeId("10.0.0.1", 9866, 9864);
  private static final DataNodeId TWO = new DataNodeId("10.0.0.2", 9866, 9864);

  private final Map<URI, LocatedBlocks> files = new HashMap<>();
  private final NameNodes nameNodes = new NameNodes(Duration.ofSeconds(1));
  private final ChosenTargets targets = new ChosenTargets(nameNodes, this::lastBlocks);

  private LocatedBlocks lastBlocks(URI nameservice, String file) throws IOException {
    if (file.equals("/private")) {
      throw new AccessControlException("Permission denied: user=rdio\n\tat org.apache");
    }
    if (!file.equals("/f")) {
      throw new IOException("no " + file);
    }
    return files.get(nameservice);
  }

  @BeforeEach
  void nameServices() {
    Configuration conf = new Configuration(false);
    conf.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, FIRST.toString());
    nameNodes.learn(conf);
    Configuration other = new Configuration(false);
    other.set(CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY, SECOND.toString());
    other.set(HdfsClientConfigKeys.DFS_NAMESERVICES, "");
    nameNodes.learn(other);
  }

  @AfterEach
  void close() {
    nameNodes.close();
  }

  private static DatanodeInfoWithStorage dataNode(String address, String name) {
    DatanodeID id = new DatanodeID(address, name, "uuid-" + name, 9866, 9864, 9865, 9867);
    return new DatanodeInfoWithStorage(
        new DatanodeInfoBuilder().setNodeID(id).build(), "DS-" + name, StorageType.DISK);
  }

  /** A file of one block, which these DataNodes were chosen for. */
  private static LocatedBlocks file(String pool, long id, long stamp, boolean complete) {
    DatanodeInfoWithStorage[] chosen = {dataNode("10.0.0.1", "one"), dataNode("10.0.0.2", "two")};
    LocatedBlock last =
        new LocatedBlock(
            new ExtendedBlock(pool, id, 0, stamp),
            chosen,
            new String[] {"DS-one", "DS-two"},
            new StorageType[] {StorageType.DISK, StorageType.DISK});
    return new LocatedBlocks(0, true, List.of(), last, complete, null, null);
  }

  @Test
  void chosenOnesMayBeWrittenTo() throws Exception {
    files.put(SECOND, file("BP-1", 7, 8, false));
    targets.check(BLOCK, "/f", List.of(ONE, TWO));
    targets.check(BLOCK, "/f", List.of(new DataNodeId("two", 9866, 9864), ONE));
    assertThat(nameNodes.candidates("BP-1")).containsExactly(SECOND);
  }

  @Test
  void othersMayNot() {
    files.put(FIRST, file("BP-1", 7, 8, false));
    for (DataNodeId other :
        List.of(
            new DataNodeId("10.0.0.3", 9866, 9864),
            new DataNodeId("10.0.0.2", 9867, 9864),
            new DataNodeId("10.0.0.2", 9866, 9870),
            DataNodeId.NOBODY)) {
      assertRefused(FallbackReason.WRITE_UNSUPPORTED, "/f", List.of(ONE, other));
    }
  }

  @Test
  void blockIsTheOneThatIsBeingWritten() {
    for (LocatedBlocks wrong :
        List.of(
            file("BP-2", 7, 8, false),
            file("BP-1", 9, 8, false),
            file("BP-1", 7, 9, false),
            file("BP-1", 7, 8, true),
            new LocatedBlocks(0, true, List.of(), null, false, null, null))) {
      files.put(FIRST, wrong);
      assertRefused(FallbackReason.LOCATION_UNKNOWN, "/f", List.of(ONE));
    }
    files.clear();
    assertRefused(FallbackReason.LOCATION_UNKNOWN, "/f", List.of(ONE));
    assertRefused(FallbackReason.LOCATION_UNKNOWN, "/g", List.of(ONE));
  }

  /** Which another one chose, that failed since. */
  @Test
  void nameNodeThatTookOverKnowsNoTargets() {
    LocatedBlock last =
        new LocatedBlock(
            new ExtendedBlock("BP-1", 7, 0, 8),
            new DatanodeInfoWithStorage[0],
            new String[0],
            new StorageType[0]);
    files.put(FIRST, new LocatedBlocks(0, true, List.of(), last, false, null, null));
    assertRefused(FallbackReason.LOCATION_UNKNOWN, "/f", List.of(ONE));
  }

  @Test
  void agentThatMayNotReadTheFileIsToldWhatHelps() {
    assertThatThrownBy(() -> targets.check(BLOCK, "/private", List.of(ONE)))
        .hasMessageContaining("(Permission denied: user=rdio: this agent may not read the file;")
        .hasMessageContaining("superuser")
        .hasMessageNotContaining("org.apache");
  }

  private void assertRefused(FallbackReason reason, String file, List<DataNodeId> to) {
    assertThatThrownBy(() -> targets.check(BLOCK, file, to))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }
}
