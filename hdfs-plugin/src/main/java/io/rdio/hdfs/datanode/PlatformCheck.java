// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.linux.SystemCalls;
import io.rdio.hdfs.datanode.lock.ReplicaLocks;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Tries, before anything is served, what grants need of this host and of this Hadoop. What is
 * missing would show in no other way than that each grant fails, and costs its client a timeout.
 */
final class PlatformCheck {
  private static final String DN = "org.apache.hadoop.hdfs.server.datanode.";

  /** What {@link HadoopReplicaSource} and {@link BlockTokens} use that not every Hadoop has. */
  private static final List<Need> NEEDS =
      List.of(
          new Need(DN + "DataNode", "getDNRegistrationForBP"),
          new Need(DN + "DataNode", "getBlockPoolTokenSecretManager"),
          new Need(DN + "ReplicaInfo", "getMetadataURI"),
          new Need(DN + "fsdataset.FsDatasetSpi", "getFsVolumeReferences"),
          new Need(DN + "fsdataset.FsDatasetSpi", "getReplica"));

  private PlatformCheck() {}

  /**
   * A class of Hadoop, and a method or constant of it.
   *
   * @param member may have any parameters
   */
  record Need(String className, String member) {
    /** What is missing, or null. */
    @Nullable String missing() {
      try {
        Class<?> type = Class.forName(className, false, PlatformCheck.class.getClassLoader());
        boolean found =
            Arrays.stream(type.getMethods()).anyMatch(method -> method.getName().equals(member))
                || Arrays.stream(type.getFields())
                    .anyMatch(field -> field.getName().equals(member));
        return found ? null : className + "." + member;
      } catch (ClassNotFoundException | LinkageError e) {
        return className + " (" + e + ")";
      }
    }
  }

  /**
   * @throws UnsupportedOperationException that says what is missing and how to mend it
   */
  static void run() {
    run(System.getProperty("os.name", ""), NEEDS);
    ReplicaLocks.ofThisHadoop(VersionInfo.getVersion());
  }

  static void run(String system, List<Need> needs) {
    if (!system.equals("Linux")) {
      throw new UnsupportedOperationException(
          "grants need Linux, and this is "
              + system
              + "; fix: leave RDIO's plugin out of dfs.datanode.plugins on this host");
    }
    for (Need need : needs) {
      String missing = need.missing();
      if (missing != null) {
        throw new UnsupportedOperationException(
            "Hadoop "
                + VersionInfo.getVersion()
                + " has no "
                + missing
                + ", which grants need; fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5, or leave"
                + " RDIO's plugin out of dfs.datanode.plugins");
      }
    }
    try {
      SystemCalls.tryThem();
    } catch (IOException e) {
      throw new UnsupportedOperationException(e.getMessage(), e);
    }
  }
}
