// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/** What Java throws where a class of Hadoop is not as RDIO was built with. */
final class UnknownHadoop {
  private UnknownHadoop() {}

  /** That this is why; null for all other failures. */
  static @Nullable FallbackException refusal(Throwable failure) {
    if (!(failure instanceof LinkageError) || !isOfHadoop(failure)) {
      return null;
    }
    return new FallbackException(
        FallbackReason.HADOOP_UNSUPPORTED,
        "Hadoop " + VersionInfo.getVersion() + ": " + failure,
        failure);
  }

  /** Messages have classes in either form. */
  private static boolean isOfHadoop(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains("org.apache.hadoop.") || message.contains("org/apache/hadoop/");
  }
}
