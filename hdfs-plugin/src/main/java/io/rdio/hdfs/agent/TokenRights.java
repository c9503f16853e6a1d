// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.agent.daemon.BlockRights;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.hdfs.client.namenode.NameNodes;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rights by block tokens, which the agent verifies as a DataNode does: with the block keys, which a
 * NameNode gives to its superusers. Where it gives none, the agent serves only where HDFS uses no
 * block tokens: then a DataNode would give the block to anybody, too. Thread-safe.
 */
final class TokenRights implements BlockRights {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRights.class);

  /** How long it is believed that a NameNode makes no tokens. */
  private static final long BELIEVED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** NameNodes are not asked for keys more often, whatever pools processes name. */
  private static final long SEARCH_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final NameNodes nameNodes;
  private final Duration rpcTimeout;

  // Of pools that a NameNode named, never of those that only a process did.
  private final ConcurrentHashMap<String, PoolKeys> pools = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Long> tokenlessSince = new ConcurrentHashMap<>();

  @GuardedBy("this")
  private final Set<URI> answered = new HashSet<>();

  @GuardedBy("this")
  private long searchedNanos = System.nanoTime() - SEARCH_PAUSE_NANOS;

  /**
   * @param rpcTimeout how long a NameNode is waited for
   */
  TokenRights(NameNodes nameNodes, Duration rpcTimeout) {
    this.nameNodes = nameNodes;
    this.rpcTimeout = rpcTimeout;
  }

  @Override
  public long check(BlockRequest request) throws FallbackException {
    PoolKeys keys = keys(request.block().poolId());
    if (keys == null) {
      requireNoTokens(request);
      return Long.MAX_VALUE;
    }
    if (!keys.isTokenEnabled()) {
      return Long.MAX_VALUE;
    }
    try {
      return BlockTokens.check(keys.secrets(), request.block(), request.token());
    } catch (FallbackException e) {
      if (!keys.renew()) {
        throw e;
      }
      return BlockTokens.check(keys.secrets(), request.block(), request.token()); // by a newer key
    }
  }

  /** Null where no NameNode gave us any. */
  private @Nullable PoolKeys keys(String poolId) {
    PoolKeys known = pools.get(poolId);
    if (known == null) {
      search(poolId);
      known = pools.get(poolId);
    }
    return known;
  }

  private synchronized void search(String poolId) {
    long now = System.nanoTime();
    if (pools.containsKey(poolId) || now - searchedNanos < SEARCH_PAUSE_NANOS) {
      return;
    }
    searchedNanos = now;
    for (URI nameservice : all(poolId)) {
      if (answered.contains(nameservice)) {
        continue;
      }
      try {
        PoolKeys keys = PoolKeys.ask(nameNodes.configuration(nameservice), nameservice, rpcTimeout);
        if (keys != null) {
          pools.put(keys.poolId(), keys);
          answered.add(nameservice);
        }
      } catch (IOException e) {
        LOG.warn("RDIO: {} tells no block keys", nameservice, e);
      }
    }
  }

  /** Most likely first. */
  private List<URI> all(String poolId) {
    List<URI> all = new ArrayList<>(nameNodes.candidates(poolId));
    all.addAll(nameNodes.others(poolId));
    return all;
  }

  private void requireNoTokens(BlockRequest request) throws FallbackException {
    String poolId = request.block().poolId();
    Long since = tokenlessSince.get(poolId);
    if (since != null && System.nanoTime() - since < BELIEVED_NANOS) {
      return;
    }
    try {
      if (isWithoutToken(poolId, request.fileName())) {
        tokenlessSince.put(poolId, System.nanoTime());
        return;
      }
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.LOCATION_UNKNOWN,
          "the agent cannot ask a NameNode about the tokens of " + poolId + ": " + e.getMessage(),
          e);
    }
    tokenlessSince.remove(poolId);
    throw new FallbackException(
        FallbackReason.TOKEN_REFUSED,
        "the agent has no keys to verify block tokens of "
            + poolId
            + ": a NameNode gives them to superusers of HDFS only");
  }

  /**
   * As the NameNode's own answer to us has it: with tokens on, it has one for each block. A
   * NameNode that does not answer, or knows no such file, may be that of another pool.
   */
  private boolean isWithoutToken(String poolId, String file) throws IOException {
    IOException failure = null;
    for (URI nameservice : all(poolId)) {
      try {
        LocatedBlocks located = nameNodes.impatient(nameservice).getLocatedBlocks(file, 0, 1);
        List<LocatedBlock> blocks = located == null ? List.of() : located.getLocatedBlocks();
        if (!blocks.isEmpty() && blocks.get(0).getBlock().getBlockPoolId().equals(poolId)) {
          return blocks.get(0).getBlockToken().getIdentifier().length == 0;
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return false;
  }
}
