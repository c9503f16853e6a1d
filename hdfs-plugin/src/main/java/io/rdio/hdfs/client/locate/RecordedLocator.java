// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import io.rdio.client.filemap.BlockLocation;
import io.rdio.client.filemap.BlockLocator;
import io.rdio.client.filemap.BlockRequest;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Keeps a reply of a nameservice. */
  static void record(URI nameservice, LocatedBlocks reply, boolean useHostname) {
    RECORDED.record(reply, useHostname);
    if (!reply.getLocatedBlocks().isEmpty()) {
      String poolId = reply.get(0).getBlock().getBlockPoolId();
      NAMESERVICES.computeIfAbsent(
          poolId, pool -> URI.create("hdfs://" + nameservice.getAuthority()));
    }
  }

  /** The nameservice that a block pool was seen in; null if in none. */
  static @Nullable URI nameservice(String poolId) {
    return NAMESERVICES.get(poolId);
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
