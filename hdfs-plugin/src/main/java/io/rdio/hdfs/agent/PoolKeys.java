// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.hdfs.client.namenode.ImpatientCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.NameNodeProxiesClient.ProxyAndInfo;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.protocol.NamenodeProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys by which the NameNodes of one pool make its block tokens, asked for as the Balancer does
 * and anew as they change. Each NameNode of a nameservice makes tokens by keys of its own, and
 * tells nobody else's, whether it is active or not: so all of them are asked, as DataNodes hear
 * from all of them. Thread-safe.
 */
final class PoolKeys {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeys.class);

  /** A token by an unknown key makes nobody ask more often. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final String poolId;
  private final List<Source> sources;
  private final LongSupplier nanoTime;
  private final boolean enabled;
  private final BlockPoolTokenSecretManager secrets = new BlockPoolTokenSecretManager();
  private final BlockTokenSecretManager ofPool;

  @GuardedBy("this")
  private long renewedNanos;

  /**
   * What a NameNode says.
   *
   * @param keys its own
   */
  record Answer(String poolId, ExportedBlockKeys keys) {}

  /** A NameNode, or whoever speaks for all of a nameservice. */
  @FunctionalInterface
  interface Source {
    /**
     * Asks it.
     *
     * @throws IOException also if it gives us none, for we are no superuser of HDFS
     */
    Answer ask() throws IOException;
  }

  private PoolKeys(
      @Nullable String encryption, Answer first, List<Source> sources, LongSupplier nanoTime)
      throws IOException {
    ExportedBlockKeys keys = first.keys();
    this.poolId = first.poolId();
    this.sources = sources;
    this.nanoTime = nanoTime;
    this.enabled = keys.isBlockTokenEnabled();
    this.renewedNanos = nanoTime.getAsLong();
    this.ofPool =
        new BlockTokenSecretManager(
            keys.getKeyUpdateInterval(), keys.getTokenLifetime(), poolId, encryption, false);
    if (enabled) {
      secrets.addBlockPool(poolId, ofPool);
      ofPool.addKeys(keys);
    }
  }

  /**
   * Asks the NameNodes of a nameservice for the keys of its block pool.
   *
   * @param timeout of each call
   * @return null if they give us none, for we are no superuser of HDFS
   * @throws IOException if none of them answers
   */
  static @Nullable PoolKeys ask(Configuration conf, URI nameservice, Duration timeout)
      throws IOException {
    Configuration impatient = ImpatientCalls.configure(conf, timeout);
    return ask(
        impatient.get(DFSConfigKeys.DFS_DATA_ENCRYPTION_ALGORITHM_KEY),
        sources(impatient, nameservice),
        System::nanoTime);
  }

  /**
   * Asks these.
   *
   * @param encryption of data transfer, by its algorithm; null for none
   * @param nanoTime as {@link System#nanoTime}
   */
  static @Nullable PoolKeys ask(
      @Nullable String encryption, List<Source> sources, LongSupplier nanoTime) throws IOException {
    PoolKeys found = null;
    IOException failure = null;
    for (Source source : sources) {
      try {
        Answer answer = source.ask();
        if (found == null) {
          found = new PoolKeys(encryption, answer, sources, nanoTime);
        } else {
          found.add(answer);
        }
      } catch (IOException e) {
        LOG.info("RDIO: no block keys of {}: {}", source, e.getMessage());
        if (!isDenied(e)) {
          failure = e;
        }
      }
    }
    if (found == null && failure != null) {
      throw failure;
    }
    return found;
  }

  private static List<Source> sources(Configuration conf, URI nameservice) {
    Map<String, InetSocketAddress> nameNodes =
        DFSUtilClient.getAddresses(conf, null, HdfsClientConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY)
            .get(nameservice.getAuthority());
    if (nameNodes == null || nameNodes.size() < 2) {
      return List.of(
          new NameNode(
              nameservice.toString(),
              () -> NameNodeProxies.createProxy(conf, nameservice, NamenodeProtocol.class)));
    }
    List<Source> all = new ArrayList<>();
    for (InetSocketAddress address : nameNodes.values()) {
      all.add(
          new NameNode(
              nameservice + " at " + address,
              () ->
                  NameNodeProxies.createNonHAProxy(
                      conf,
                      address,
                      NamenodeProtocol.class,
                      UserGroupInformation.getCurrentUser(),
                      false)));
    }
    return all;
  }

  /** How a NameNode is reached. */
  @FunctionalInterface
  private interface Way {
    ProxyAndInfo<NamenodeProtocol> open() throws IOException;
  }

  /** One that is connected to when it is asked, for that is seldom. */
  private record NameNode(String name, Way way) implements Source {
    @Override
    public Answer ask() throws IOException {
      NamenodeProtocol proxy = open();
      try {
        return new Answer(proxy.versionRequest().getBlockPoolID(), proxy.getBlockKeys());
      } finally {
        RPC.stopProxy(proxy);
      }
    }

    private NamenodeProtocol open() throws IOException {
      try {
        return way.open().getProxy();
      } catch (IllegalArgumentException e) { // its host has no address
        throw new IOException(name + " cannot be reached: " + e.getMessage(), e);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static boolean isDenied(IOException e) {
    IOException cause =
        e instanceof RemoteException remote
            ? remote.unwrapRemoteException(
                AccessControlException.class, AuthorizationException.class)
            : e;
    return cause instanceof AccessControlException;
  }

  /** A router may speak for another pool when it is asked again. */
  private boolean add(Answer answer) throws IOException {
    if (!answer.poolId().equals(poolId)) {
      return false;
    }
    if (enabled) {
      ofPool.addKeys(answer.keys());
    }
    return true;
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
    long now = nanoTime.getAsLong();
    if (now - renewedNanos < PAUSE_NANOS) {
      return false;
    }
    renewedNanos = now;
    boolean renewed = false;
    for (Source source : sources) {
      try {
        renewed |= add(source.ask());
      } catch (IOException e) {
        LOG.warn("RDIO: the block keys of {} were not renewed by {}", poolId, source, e);
      }
    }
    return renewed;
  }
}
