// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;

/**
 * Stands before RDIO's builder, counts how often HDFS asks for an accessor, makes none, and has the
 * agent know the NameNode, if there is one.
 */
public final class CountingBuilder extends ReplicaAccessorBuilder {
  static final LongAdder BUILDS = new LongAdder();

  public CountingBuilder() {}

  @Override
  public ReplicaAccessor build() {
    BUILDS.increment();
    return null;
  }

  @Override
  public CountingBuilder setFileName(String fileName) {
    return this;
  }

  @Override
  public CountingBuilder setBlock(long blockId, String blockPoolId) {
    return this;
  }

  @Override
  public CountingBuilder setGenerationStamp(long stamp) {
    return this;
  }

  @Override
  public CountingBuilder setVerifyChecksum(boolean verify) {
    return this;
  }

  @Override
  public CountingBuilder setClientName(String name) {
    return this;
  }

  @Override
  public CountingBuilder setAllowShortCircuitReads(boolean allow) {
    return this;
  }

  @Override
  public CountingBuilder setVisibleLength(long length) {
    return this;
  }

  @Override
  public CountingBuilder setConfiguration(Configuration conf) {
    Agents.know(conf);
    return this;
  }

  @Override
  public CountingBuilder setBlockAccessToken(byte[] token) {
    return this;
  }
}
