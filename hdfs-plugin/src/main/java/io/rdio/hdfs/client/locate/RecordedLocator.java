// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.namenode.KnownBlocks;
import io.rdio.hdfs.client.namenode.RecordedBlocks;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.jspecify.annotations.Nullable;

/**
 * Locations that RDIO's failover proxy providers saw in the NameNode's replies to this JVM's own
 * clients, at no cost. Thread-safe.
 */
public final class RecordedLocator implements BlockLocator {
  /** Of all clients of this JVM: a block's key is unique among clusters. */
  public static final LocationStore RECORDED = new LocationStore();

  private static final ConcurrentHashMap<String, URI> NAMESERVICES = new ConcurrentHashMap<>();

  static {
    RecordedBlocks.are(new Recorded());
  }

  /** For whoever must not need these classes. */
  private static final class Recorded implements KnownBlocks {
    @Override
    public @Nullable LocatedBlock located(BlockKey block) {
      return RECORDED.located(block);
    }

    @Override
    public @Nullable Long fileOffset(BlockKey block) {
      return RECORDED.fileOffset(block);
    }

    @Override
    public @Nullable URI nameservice(String poolId) {
      return NAMESERVICES.get(poolId);
    }
  }

  /** Keeps a reply of a nameservice. */
  static void record(URI nameservice, LocatedBlocks reply, boolean useHostname) {
    RECORDED.record(reply, useHostname);
    if (!reply.getLocatedBlocks().isEmpty()) {
      String poolId = reply.get(0).getBlock().getBlockPoolId();
      NAMESERVICES.computeIfAbsent(
          poolId, pool -> URI.create("hdfs://" + nameservice.getAuthority()));
    }
  }

  @Override
  public List<BlockLocation> locate(BlockRequest request) throws FallbackException {
    List<BlockLocation> found = RECORDED.find(request.block());
    if (found.isEmpty()) {
      throw new FallbackException(
          FallbackReason.LOCATION_UNKNOWN,
          request.block() + " of " + request.fileName() + " was in no recorded reply");
    }
    return found;
  }

  @Override
  public @Nullable BlockLocation following(BlockKey block) {
    return RECORDED.following(block);
  }

  @Override
  public void forget(BlockKey block) {
    RECORDED.forget(block);
  }
}
