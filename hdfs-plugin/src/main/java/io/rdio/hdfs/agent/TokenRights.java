// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import io.rdio.agent.daemon.BlockRights;
import io.rdio.client.filemap.BlockRequest;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.locate.NameNodes;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rights by block tokens, which the agent verifies as a DataNode does: with the block keys, which a
 * NameNode gives to its superusers. Where it gives none, the agent serves only where HDFS uses no
 * block tokens: then a DataNode would give the block to anybody, too. Thread-safe.
 */
final class TokenRights implements BlockRights, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRights.class);

  /** How long it is believed that a NameNode makes no tokens, or gives us no keys. */
  private static final long BELIEVED_NANOS = 60_000_000_000L;

  private final NameNodes nameNodes;
  private final Duration rpcTimeout;
  private final ConcurrentHashMap<String, Pool> pools = new ConcurrentHashMap<>();

  /**
   * @param rpcTimeout how long a NameNode is waited for
   */
  TokenRights(NameNodes nameNodes, Duration rpcTimeout) {
    this.nameNodes = nameNodes;
    this.rpcTimeout = rpcTimeout;
  }

  /** What is known of a block pool's tokens. */
  private static final class Pool {
    private @Nullable PoolKeys keys;
    private boolean denied;
    private boolean tokenless;
    private long askedNanos = System.nanoTime() - BELIEVED_NANOS;

    boolean isOld() {
      return System.nanoTime() - askedNanos >= BELIEVED_NANOS;
    }
  }

  @Override
  public long check(BlockRequest request) throws FallbackException {
    String poolId = request.block().poolId();
    Pool pool = pools.computeIfAbsent(poolId, id -> new Pool());
    PoolKeys keys = keys(poolId, pool);
    if (keys == null) {
      requireNoTokens(pool, request);
      return Long.MAX_VALUE;
    }
    if (!keys.isTokenEnabled()) {
      return Long.MAX_VALUE;
    }
    BlockPoolTokenSecretManager secrets = keys.secrets();
    try {
      return BlockTokens.check(secrets, request.block(), request.token());
    } catch (FallbackException e) {
      if (!keys.renew()) {
        throw e;
      }
      return BlockTokens.check(secrets, request.block(), request.token()); // by a key made since
    }
  }

  /** Null where the NameNode gives us none. */
  private @Nullable PoolKeys keys(String poolId, Pool pool) throws FallbackException {
    synchronized (pool) {
      if (pool.keys == null && (!pool.denied || pool.isOld())) {
        try {
          pool.keys = PoolKeys.open(nameNodes, poolId, rpcTimeout);
          pool.denied = pool.keys == null;
        } catch (IOException e) {
          throw unknown(poolId, e);
        }
      }
      return pool.keys;
    }
  }

  private void requireNoTokens(Pool pool, BlockRequest request) throws FallbackException {
    String poolId = request.block().poolId();
    synchronized (pool) {
      if (!pool.tokenless || pool.isOld()) {
        try {
          pool.tokenless = isWithoutToken(poolId, request.fileName());
          pool.askedNanos = System.nanoTime();
        } catch (IOException e) {
          throw unknown(poolId, e);
        }
      }
      if (!pool.tokenless) {
        throw new FallbackException(
            FallbackReason.TOKEN_REFUSED,
            "the agent cannot verify block tokens of "
                + poolId
                + ": its user is no superuser of HDFS, which gives it no block keys");
      }
    }
  }

  /** As the NameNode's own answer to us has it: with tokens on, it has one for each block. */
  private boolean isWithoutToken(String poolId, String file) throws IOException {
    for (URI nameservice : nameNodes.candidates(poolId)) {
      DFSClient client = nameNodes.impatient(nameservice);
      LocatedBlocks located = client.getLocatedBlocks(file, 0, 1);
      List<LocatedBlock> blocks = located == null ? List.of() : located.getLocatedBlocks();
      if (!blocks.isEmpty() && blocks.get(0).getBlock().getBlockPoolId().equals(poolId)) {
        return blocks.get(0).getBlockToken().getIdentifier().length == 0;
      }
    }
    return false;
  }

  private static FallbackException unknown(String poolId, IOException e) {
    LOG.debug("RDIO: the rights to blocks of {} are not known", poolId, e);
    return new FallbackException(
        FallbackReason.LOCATION_UNKNOWN,
        "the agent cannot ask a NameNode about the tokens of " + poolId + ": " + e.getMessage(),
        e);
  }

  @Override
  public void close() {
    for (Pool pool : pools.values()) {
      synchronized (pool) {
        if (pool.keys != null) {
          pool.keys.close();
        }
      }
    }
  }
}
