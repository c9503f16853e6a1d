// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
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
 * which block pool. One client for each user and nameservice; idle ones are closed when another one
 * is opened. Thread-safe.
 */
public final class NameNodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NameNodes.class);
  private static final long IDLE_NANOS = Duration.ofHours(1).toNanos();
  static final int MAX_CLIENTS = 256;
  private static final String VIEWFS_MOUNTS = "fs.viewfs.mounttable.";

  private final Duration rpcTimeout;
  private volatile Configuration anyConfiguration = new Configuration(false);
  private final ConcurrentHashMap<URI, Configuration> nameservices = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, URI> pools = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<ClientKey, OpenClient> clients = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final Maker maker;

  /** What a client is for. */
  private static final class ClientKey {
    final UserGroupInformation user;
    final URI nameservice;

    /** Fails soon, for it asks about something that stock HDFS can do without. */
    final boolean impatient;

    ClientKey(UserGroupInformation user, URI nameservice, boolean impatient) {
      this.user = user;
      this.nameservice = nameservice;
      this.impatient = impatient;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      if (!(other instanceof ClientKey)) {
        return false;
      }
      ClientKey key = (ClientKey) other;
      return impatient == key.impatient
          && user.equals(key.user)
          && nameservice.equals(key.nameservice);
    }

    @Override
    public int hashCode() {
      return (user.hashCode() * 31 + nameservice.hashCode()) * 31 + Boolean.hashCode(impatient);
    }
  }

  /** A client, and when it was used last. Whoever uses it or ends it has its lock. */
  private static final class OpenClient {
    final DFSClient client;
    private long usedNanos;
    private boolean ended;

    OpenClient(DFSClient client, long usedNanos) {
      this.client = client;
      this.usedNanos = usedNanos;
    }

    /** Whether it still may be used, which is noted. */
    synchronized boolean use(long nowNanos) {
      if (!ended) {
        usedNanos = nowNanos;
      }
      return !ended;
    }

    synchronized long usedNanos() {
      return usedNanos;
    }

    /** Lets nobody use it any more, unless somebody did since. */
    synchronized boolean end(long seenUsedNanos) {
      ended |= usedNanos == seenUsedNanos;
      return ended;
    }

    /** Lets nobody use it any more. */
    synchronized void end() {
      ended = true;
    }
  }

  /** Makes a client, which may take as long as a name server does. */
  @FunctionalInterface
  interface Maker {
    DFSClient make(URI nameservice, Configuration conf) throws IOException;
  }

  public NameNodes(Duration rpcTimeout) {
    this(rpcTimeout, System::nanoTime, DFSClient::new);
  }

  NameNodes(Duration rpcTimeout, LongSupplier nanoTime, Maker maker) {
    this.rpcTimeout = rpcTimeout;
    this.nanoTime = nanoTime;
    this.maker = maker;
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
  private static List<URI> named(Configuration conf) {
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
      known = RecordedBlocks.now().nameservice(poolId);
    }
    return known != null
        ? Collections.singletonList(known)
        : new ArrayList<>(nameservices.keySet());
  }

  /**
   * All but the {@link #candidates}: a router of a federation gives out blocks of several pools, of
   * files that their own NameNodes know by other paths.
   */
  public List<URI> others(String poolId) {
    List<URI> others = new ArrayList<>(nameservices.keySet());
    others.removeAll(candidates(poolId));
    return others;
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
    OpenClient open = clients.get(key);
    while (open == null || !open.use(nanoTime.getAsLong())) { // it may have made room meanwhile
      open = open(key);
    }
    return open.client;
  }

  /** The client that is there or else a new one, for which nobody else waits. */
  private OpenClient open(ClientKey key) throws IOException {
    Configuration conf = configuration(key.nameservice);
    DFSClient made =
        maker.make(
            key.nameservice, key.impatient ? ImpatientCalls.configure(conf, rpcTimeout) : conf);
    OpenClient first;
    synchronized (this) {
      OpenClient mine = new OpenClient(made, nanoTime.getAsLong());
      first = clients.putIfAbsent(key, mine);
      if (first == null) {
        makeRoom(); // of the others: this one was used last
        return mine;
      }
    }
    close(key, made);
    return first;
  }

  /** Closes clients that are idle, and if they are too many yet the one that is so longest. */
  private void makeRoom() {
    long now = nanoTime.getAsLong();
    clients.forEach(
        (key, open) -> {
          long used = open.usedNanos();
          if (now - used > IDLE_NANOS) {
            end(key, open, used);
          }
        });
    while (clients.size() > MAX_CLIENTS) { // once, but for one that is used in this moment
      clients.entrySet().stream()
          .max(Comparator.comparingLong(entry -> now - entry.getValue().usedNanos()))
          .ifPresent(entry -> end(entry.getKey(), entry.getValue(), entry.getValue().usedNanos()));
    }
  }

  private void end(ClientKey key, OpenClient open, long seenUsedNanos) {
    if (open.end(seenUsedNanos)) {
      clients.remove(key);
      close(key, open.client);
    }
  }

  private static void close(ClientKey key, DFSClient client) {
    try {
      client.close();
    } catch (IOException e) {
      LOG.debug("RDIO: closing a client of {}", key.nameservice, e);
    }
  }

  @Override
  public synchronized void close() {
    clients.forEach(
        (key, open) -> {
          open.end();
          clients.remove(key);
          close(key, open.client);
        });
  }
}
