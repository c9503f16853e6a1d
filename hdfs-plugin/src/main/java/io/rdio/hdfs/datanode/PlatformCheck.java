// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.linux.SystemCalls;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import io.rdio.hdfs.datanode.lock.ReplicaLocks;
import io.rdio.hdfs.datanode.write.WriteRuntime;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Tries, before anything is served, what grants need of this host and of this Hadoop. What is
 * missing would show in no other way than that each grant fails, and costs its client a timeout.
 */
final class PlatformCheck {
  /** What looks at replicas, tokens and the configuration of a DataNode. */
  private static final Class<?>[] USERS = {
    HadoopReplicaSource.class,
    DataNodeReplicas.class,
    BlockTokens.class,
    TransferEncryption.class,
    ChangeRecalls.class
  };

  private PlatformCheck() {}

  /**
   * @throws UnsupportedOperationException that says what is missing and how to mend it
   */
  static void run() {
    run(System.getProperty("os.name", ""), () -> HadoopLinks.missing(USERS));
  }

  /**
   * @param missing what this Hadoop lacks, or null
   */
  static void run(String system, Supplier<@Nullable String> missing) {
    if (!system.equals("Linux")) {
      throw new UnsupportedOperationException(
          "grants need Linux, and this is "
              + system
              + "; fix: leave RDIO's plugin out of dfs.datanode.plugins on this host");
    }
    requireAll(missing.get());
    ReplicaLocks locks = ReplicaLocks.ofThisHadoop(VersionInfo.getVersion());
    requireAll(HadoopLinks.missing(locks.getClass()));
    try {
      SystemCalls.tryThem();
    } catch (IOException e) {
      throw new UnsupportedOperationException(e.getMessage(), e);
    }
  }

  /**
   * Looks whether this Hadoop has what remote writes need beyond grants.
   *
   * @throws UnsupportedOperationException that says what is missing and how to mend it
   */
  static void runForWrites() {
    requireAll(HadoopLinks.missing(WriteRuntime.usersOfHadoop()));
    ReplicaLocks.ofThisHadoop(VersionInfo.getVersion());
  }

  private static void requireAll(@Nullable String missing) {
    if (missing != null) {
      throw new UnsupportedOperationException(
          "Hadoop "
              + VersionInfo.getVersion()
              + " has no "
              + missing
              + ", which RDIO needs; fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5, or leave"
              + " RDIO's plugin out of dfs.datanode.plugins");
    }
  }
}
