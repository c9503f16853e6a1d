// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;

/** Whether the cluster promises its users that blocks travel encrypted. */
final class TransferEncryption {
  private static final String PRIVACY = "privacy";

  private TransferEncryption() {}

  /** The key and value that ask for encryption, or null when none does. */
  static @Nullable String askedFor(Configuration conf) {
    if (conf.getBoolean(
        DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY,
        DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_DEFAULT)) {
      return DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY + "=true";
    }
    for (String key :
        new String[] {
          HdfsClientConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY,
          CommonConfigurationKeysPublic.HADOOP_RPC_PROTECTION
        }) {
      for (String protection : conf.getTrimmedStrings(key)) {
        if (protection.toLowerCase(Locale.ROOT).equals(PRIVACY)) {
          return key + "=" + conf.get(key);
        }
      }
    }
    return null;
  }
}
