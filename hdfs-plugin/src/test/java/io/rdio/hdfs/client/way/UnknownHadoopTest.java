// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.Objects;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;

/** A class of Hadoop that is not as RDIO needs it is no accident, and another one's is. */
class UnknownHadoopTest {
  @Test
  void isNamedWithItsVersionAndWhatIsMissing() {
    for (LinkageError error :
        new LinkageError[] {
          new NoSuchMethodError("'void org.apache.hadoop.hdfs.DFSClient.was()'"),
          new NoClassDefFoundError("org/apache/hadoop/hdfs/Was"),
        }) {
      FallbackException refusal = Objects.requireNonNull(UnknownHadoop.refusal(error));
      assertThat(refusal.reason()).isEqualTo(FallbackReason.HADOOP_UNSUPPORTED);
      assertThat(refusal.detail())
          .contains("Hadoop " + VersionInfo.getVersion())
          .contains(error.getMessage());
      assertThat(FallbackLog.reasonOf(error)).isEqualTo(FallbackReason.HADOOP_UNSUPPORTED);
    }
  }

  @Test
  void otherFailuresAreAccidents() {
    for (Throwable other :
        new Throwable[] {
          new NoSuchMethodError("'void io.rdio.core.X.y()'"),
          new LinkageError(),
          new IllegalStateException("org.apache.hadoop.X is closed"),
        }) {
      assertThat(UnknownHadoop.refusal(other)).isNull();
      assertThat(FallbackLog.reasonOf(other)).isEqualTo(FallbackReason.INTERNAL_ERROR);
    }
  }
}
