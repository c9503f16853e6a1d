// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import io.rdio.hdfs.datanode.lock.ReplicaLocks;
import io.rdio.hdfs.token.BlockTokens;
import java.util.List;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Hadoop that lacks one of what a DataNode's plugin uses is known by what it lacks. */
class HadoopLinksTest {
  private static final ClassLoader LOADER = HadoopLinksTest.class.getClassLoader();

  /** As if it had been compiled with another Hadoop; the names are of one length. */
  private static byte[] compiledWith(Class<?> type, String here, String there) {
    assertThat(there).hasSameSizeAs(here);
    String bytes = new String(HadoopLinks.bytes(type), ISO_8859_1);
    assertThat(bytes).as("%s uses %s", type, here).contains(here);
    return bytes.replace(here, there).getBytes(ISO_8859_1);
  }

  private static Class<?> user(String part) {
    return switch (part) {
      case "lock" -> ReplicaLocks.ofThisHadoop(VersionInfo.getVersion()).getClass();
      case "token" -> BlockTokens.class;
      case "encryption" -> TransferEncryption.class;
      case "dataset" -> DataNodeReplicas.class;
      default -> HadoopReplicaSource.class;
    };
  }

  @Test
  void thisHadoopLacksNothing() {
    for (String part : List.of("lock", "token", "encryption", "dataset", "replica")) {
      assertThat(HadoopLinks.missing(user(part))).isNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "lock, readLock, readLocx",
    "lock, acquireDatasetLockManager, acquireDatasetLockManagex",
    "dataset, getReplica, getReplicx",
    "replica, getStorageUuid, getStorageUuix",
    "dataset, getFsVolumeReferences, getFsVolumeReferencex",
    "dataset, getDNRegistrationForBP, getDNRegistrationForBx",
    "dataset, isBlockPoolRegistered, isBlockPoolRegisterex",
    "replica, FINALIZED, FINALIZEX",
    "token, checkAccess, checkAccesx",
    "token, retrievePassword, retrievePasswox2",
    "token, security/token/block/BlockTokenIdentifier, security/token/block/BlockTokenIdentifiex",
    "encryption, getBoolean, getBooleax"
  })
  void whatIsMissingIsNamed(String part, String here, String there) {
    assertThat(HadoopLinks.missing(compiledWith(user(part), here, there), LOADER))
        .contains("org.apache.hadoop.")
        .contains(there.replace('/', '.'));
  }

  /** The name alone is not enough: its parameters and what it returns are what Java looks for. */
  @Test
  void anotherSignatureIsAnotherMethod() {
    String here = "(Ljava/lang/String;J)Lorg/apache/hadoop/hdfs/server/datanode/Replica;";
    String there = here.replace(";J)", ";I)");
    assertThat(HadoopLinks.missing(compiledWith(DataNodeReplicas.class, here, there), LOADER))
        .isEqualTo(
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi.getReplica " + there);
  }
}
