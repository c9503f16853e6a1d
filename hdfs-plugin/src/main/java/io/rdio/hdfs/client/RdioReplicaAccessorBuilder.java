// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.TokenedBlock;
import io.rdio.hdfs.client.way.BlockToRead;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Hadoop's way into RDIO: {@code dfs.client.replica.accessor.builder.classes}. Hadoop makes one for
 * each block that it opens and for each positional read; all that costs anything is in {@link
 * ThinClient}. For one thread at a time.
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public final class RdioReplicaAccessorBuilder extends ReplicaAccessorBuilder {
  private String fileName = "";
  private String poolId = "";
  private long blockId;
  private long generationStamp = -1;
  private boolean verifyChecksum = true;
  private boolean allowed;
  private long visibleLength;
  private byte[] token = {};
  private @Nullable Configuration conf;

  /** As Hadoop calls it. */
  public RdioReplicaAccessorBuilder() {}

  @Override
  public RdioReplicaAccessorBuilder setFileName(String name) {
    fileName = name;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setBlock(long id, String blockPoolId) {
    blockId = id;
    poolId = blockPoolId;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setGenerationStamp(long stamp) {
    generationStamp = stamp;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setVerifyChecksum(boolean verify) {
    verifyChecksum = verify;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setClientName(String clientName) {
    return this;
  }

  /** False while the file is being written; Hadoop's key of that name has no part in it. */
  @Override
  public RdioReplicaAccessorBuilder setAllowShortCircuitReads(boolean allow) {
    allowed = allow;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setVisibleLength(long length) {
    visibleLength = length;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setConfiguration(Configuration configuration) {
    conf = configuration;
    return this;
  }

  @Override
  public RdioReplicaAccessorBuilder setBlockAccessToken(byte[] bytes) {
    token = bytes;
    return this;
  }

  /**
   * An accessor whose file map and device are at hand, or on their way, or null for stock HDFS.
   * Never throws: Hadoop would log a stack trace for each read.
   */
  @Override
  @SuppressWarnings("CatchAndPrintStackTrace")
  public @Nullable ReplicaAccessor build() {
    try {
      return open();
    } catch (FallbackException e) {
      JvmCounters.fallback(e, fileName);
    } catch (Throwable e) { // a LinkageError in a Hadoop that we do not know, for one
      JvmCounters.internalError(e, fileName);
    }
    return null;
  }

  private ReplicaAccessor open() throws FallbackException {
    if (conf == null) {
      throw new FallbackException(FallbackReason.DISABLED, "Hadoop gave no configuration");
    }
    ThinClient client = ThinClient.of(conf);
    client.requireUsable();
    if (!allowed) {
      throw new FallbackException(FallbackReason.FILE_UNDER_CONSTRUCTION, fileName);
    }
    if (!fileName.startsWith("/") || generationStamp < 0) {
      // fsck reads with names that are no paths; a Hadoop without generation stamps is too old.
      throw new FallbackException(
          FallbackReason.LOCATION_UNKNOWN,
          "block " + blockId + "_" + generationStamp + " of '" + fileName + "' is in no file");
    }
    BlockRequest request =
        new BlockRequest(
            new TokenedBlock(new BlockKey(poolId, blockId, generationStamp), token), fileName);
    return RdioReplicaAccessor.open(
        client.ways(request, visibleLength),
        new BlockToRead(request, verifyChecksum, visibleLength, client.stockBlocks(poolId)));
  }
}
