// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.hdfs.client.namenode.ImpatientCalls;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.protocol.NamenodeProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys by which a NameNode makes the block tokens of one pool, asked for as the Balancer does
 * and anew as they change. Thread-safe.
 */
final class PoolKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeys.class);

  /** A token by an unknown key makes nobody ask more often. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final String poolId;
  private final NamenodeProtocol nameNode;
  private final boolean enabled;
  private final BlockPoolTokenSecretManager secrets = new BlockPoolTokenSecretManager();
  private final BlockTokenSecretManager ofPool;

  @GuardedBy("this")
  private long renewedNanos = System.nanoTime();

  private PoolKeys(
      Configuration conf, String poolId, NamenodeProtocol nameNode, ExportedBlockKeys keys)
      throws IOException {
    this.poolId = poolId;
    this.nameNode = nameNode;
    this.enabled = keys.isBlockTokenEnabled();
    this.ofPool =
        new BlockTokenSecretManager(
            keys.getKeyUpdateInterval(),
            keys.getTokenLifetime(),
            poolId,
            conf.get(DFSConfigKeys.DFS_DATA_ENCRYPTION_ALGORITHM_KEY),
            false);
    if (enabled) {
      secrets.addBlockPool(poolId, ofPool);
      ofPool.addKeys(keys);
    }
  }

  /**
   * Asks a NameNode for the keys of its block pool.
   *
   * @param timeout of each call
   * @return null if it gives us none, for we are no superuser of HDFS
   */
  static @Nullable PoolKeys ask(Configuration conf, URI nameservice, Duration timeout)
      throws IOException {
    Configuration impatient = ImpatientCalls.configure(conf, timeout);
    NamenodeProtocol nameNode =
        NameNodeProxies.createProxy(impatient, nameservice, NamenodeProtocol.class).getProxy();
    PoolKeys found = null;
    try {
      String poolId = nameNode.versionRequest().getBlockPoolID();
      found = new PoolKeys(impatient, poolId, nameNode, nameNode.getBlockKeys());
    } catch (IOException e) {
      if (!isDenied(e)) {
        throw e;
      }
      LOG.info("RDIO: no block keys of {}: {}", nameservice, e.getMessage());
    } finally {
      if (found == null) {
        RPC.stopProxy(nameNode);
      }
    }
    return found;
  }

  private static boolean isDenied(IOException e) {
    IOException cause =
        e instanceof RemoteException remote
            ? remote.unwrapRemoteException(
                AccessControlException.class, AuthorizationException.class)
            : e;
    return cause instanceof AccessControlException;
  }

  /** Whose keys these are. */
  String poolId() {
    return poolId;
  }

  /** Whether HDFS uses block tokens at all. */
  boolean isTokenEnabled() {
    return enabled;
  }

  /** What checks them. */
  BlockPoolTokenSecretManager secrets() {
    return secrets;
  }

  /**
   * Asks for the keys anew, unless that was done a moment ago.
   *
   * @return whether there may be others now
   */
  synchronized boolean renew() {
    long now = System.nanoTime();
    if (now - renewedNanos < PAUSE_NANOS) {
      return false;
    }
    renewedNanos = now;
    try {
      ofPool.addKeys(nameNode.getBlockKeys());
      return true;
    } catch (IOException e) {
      LOG.warn("RDIO: the block keys of {} were not renewed", poolId, e);
      return false;
    }
  }

  @Override
  public void close() {
    RPC.stopProxy(nameNode);
  }
}
