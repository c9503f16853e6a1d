// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients of the nameservices that the application's configurations name, and which of them has
 * which block pool. One client for each user and nameservice; idle ones are closed. Thread-safe.
 */
public final class NameNodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NameNodes.class);
  private static final Duration IDLE = Duration.ofHours(1);
  private static final int MAX_CLIENTS = 256;
  private static final String VIEWFS_MOUNTS = "fs.viewfs.mounttable.";

  private final Duration rpcTimeout;
  private volatile Configuration anyConfiguration = new Configuration(false);
  private final ConcurrentHashMap<URI, Configuration> nameservices = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, URI> pools = new ConcurrentHashMap<>();
  private final Cache<ClientKey, DFSClient> clients =
      Caffeine.newBuilder()
          .maximumSize(MAX_CLIENTS)
          .expireAfterAccess(IDLE)
          .removalListener(NameNodes::closeClient)
          .build();

  /**
   * What a client is for.
   *
   * @param impatient fails soon, for it asks about something that stock HDFS can do without
   */
  private record ClientKey(UserGroupInformation user, URI nameservice, boolean impatient) {}

  public NameNodes(Duration rpcTimeout) {
    this.rpcTimeout = rpcTimeout;
  }

  /** Adds the nameservices that a configuration names; the first one that names one is kept. */
  public void learn(Configuration conf) {
    Configuration own = new Configuration(conf);
    // Else reading through such a client would lead back here.
    own.set(HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY, "");
    anyConfiguration = own;
    for (URI uri : named(own)) {
      nameservices.computeIfAbsent(uri, added -> own);
    }
  }

  /** {@code hdfs://} roots in a configuration: the default one, the configured, viewfs targets. */
  static List<URI> named(Configuration conf) {
    List<URI> uris = new ArrayList<>();
    addRoot(FileSystem.getDefaultUri(conf), uris);
    Map<String, Map<String, InetSocketAddress>> services =
        DFSUtilClient.getAddresses(conf, null, HdfsClientConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY);
    services.forEach(
        (name, nameNodes) -> {
          if (name != null && nameNodes.size() > 1) {
            addRoot(URI.create(HdfsConstants.HDFS_URI_SCHEME + "://" + name), uris);
          } else {
            nameNodes.values().forEach(address -> addRoot(DFSUtilClient.getNNUri(address), uris));
          }
        });
    conf.getPropsWithPrefix(VIEWFS_MOUNTS)
        .forEach(
            (key, targets) -> {
              if (key.contains(".link")) {
                addTargets(targets, uris);
              }
            });
    return uris;
  }

  private static void addTargets(String targets, List<URI> uris) {
    for (String target : StringUtils.getTrimmedStringCollection(targets)) {
      try {
        addRoot(URI.create(target), uris);
      } catch (IllegalArgumentException e) {
        LOG.debug("RDIO: viewfs target {} is no URI", target);
      }
    }
  }

  private static void addRoot(URI uri, List<URI> uris) {
    if (HdfsConstants.HDFS_URI_SCHEME.equals(uri.getScheme()) && uri.getAuthority() != null) {
      URI root = URI.create(uri.getScheme() + "://" + uri.getAuthority());
      if (!uris.contains(root)) {
        uris.add(root);
      }
    }
  }

  /** The nameservice of a block pool, if it is known; else all that might have it. */
  public List<URI> candidates(String poolId) {
    URI known = pools.get(poolId);
    if (known == null) {
      known = RecordedLocator.nameservice(poolId);
    }
    return known != null ? List.of(known) : List.copyOf(nameservices.keySet());
  }

  /** Notes that a nameservice has a block pool. */
  public void has(URI nameservice, String poolId) {
    pools.putIfAbsent(poolId, nameservice);
  }

  /** A client that fails soon, for the current user. */
  public DFSClient impatient(URI nameservice) throws IOException {
    return client(nameservice, true);
  }

  /** A client as patient as the application's own, for the current user. */
  public DFSClient patient(URI nameservice) throws IOException {
    return client(nameservice, false);
  }

  /** What {@link #patient} clients of a nameservice are made from. */
  public Configuration configuration(URI nameservice) {
    Configuration conf = nameservices.get(nameservice);
    return conf != null ? conf : anyConfiguration; // opened by a full URI that is in no key
  }

  private DFSClient client(URI nameservice, boolean impatient) throws IOException {
    ClientKey key = new ClientKey(UserGroupInformation.getCurrentUser(), nameservice, impatient);
    try {
      return clients.get(key, this::open);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private DFSClient open(ClientKey key) {
    Configuration conf = configuration(key.nameservice());
    try {
      return new DFSClient(
          key.nameservice(), key.impatient() ? ImpatientCalls.configure(conf, rpcTimeout) : conf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void closeClient(
      @Nullable ClientKey key, @Nullable DFSClient client, RemovalCause cause) {
    if (client != null) {
      try {
        client.close();
      } catch (IOException e) {
        LOG.debug("RDIO: closing a client of {}", key, e);
      }
    }
  }

  @Override
  public void close() {
    clients.invalidateAll();
    clients.cleanUp();
  }
}
