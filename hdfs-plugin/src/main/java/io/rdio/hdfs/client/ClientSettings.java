// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.tls.TlsSettings;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.TlsConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * What a client's configuration says about RDIO, read once. Clients with equal settings share one
 * {@link RdioClientContext}.
 *
 * @param dataNodePort of the plugins; 0 to ask each DataNode's web server
 * @param locations where block locations come from, in this order
 * @param firstBytes of a block, by stock HDFS while its map is on its way; 0 to wait for the map
 * @param routing weigh device and DataNode, and take the faster one
 * @param dataCacheBytes memory of the block data cache; 0 for none
 * @param storageAgents HOST:PORT of each that is told what the block data cache evicts
 * @param useDataNodeHostname reach DataNodes by name and not by address
 * @param nullChecksums files here are written without checksums, so a DataNode may say that they
 *     are
 * @param encryptionRequired the configuration demands encryption that a device read gets round
 * @param tls to the DataNodes' plugins; null for plain text
 * @param tlsRequired it is null although this cluster is Kerberized, and no key allows it
 */
record ClientSettings(
    boolean enabled,
    int dataNodePort,
    List<LocationSource> locations,
    Map<UUID, Path> devices,
    long cacheBytes,
    int prefetchBlocks,
    Duration leaseMargin,
    Duration rpcTimeout,
    Duration backOff,
    Duration quarantine,
    long firstBytes,
    boolean routing,
    int readAheadBytes,
    Duration readTimeout,
    int windowBytes,
    long bufferBytes,
    long dataCacheBytes,
    int dataCacheChunk,
    List<String> storageAgents,
    boolean useDataNodeHostname,
    boolean nullChecksums,
    boolean encryptionRequired,
    @Nullable TlsSettings tls,
    boolean tlsRequired) {

  private static final String ENCRYPT_DATA_TRANSFER = "dfs.encrypt.data.transfer";
  private static final String DATA_TRANSFER_PROTECTION = "dfs.data.transfer.protection";
  private static final String RPC_PROTECTION = "hadoop.rpc.protection";

  /** A source of block locations, as {@code dfs.client.rdio.locations} names it. */
  enum LocationSource {
    RECORDED,
    NAMENODE
  }

  /**
   * Reads the settings.
   *
   * @throws FallbackException CONFIGURATION_INVALID with the key and its value
   */
  static ClientSettings of(Configuration conf) throws FallbackException {
    return new ClientSettings(
        conf.getBoolean(RdioConfigKeys.CLIENT_ENABLED_KEY, RdioConfigKeys.CLIENT_ENABLED_DEFAULT),
        (int)
            number(
                conf,
                RdioConfigKeys.CLIENT_DATANODE_PORT_KEY,
                Integer.toString(RdioConfigKeys.CLIENT_DATANODE_PORT_DEFAULT),
                0,
                65535),
        locations(conf),
        devices(conf),
        number(
            conf,
            RdioConfigKeys.CLIENT_FILEMAP_CACHE_SIZE_KEY,
            RdioConfigKeys.CLIENT_FILEMAP_CACHE_SIZE_DEFAULT,
            1,
            Long.MAX_VALUE),
        (int)
            number(
                conf,
                RdioConfigKeys.CLIENT_FILEMAP_PREFETCH_BLOCKS_KEY,
                Integer.toString(RdioConfigKeys.CLIENT_FILEMAP_PREFETCH_BLOCKS_DEFAULT),
                0,
                1000),
        time(
            conf,
            RdioConfigKeys.CLIENT_LEASE_MARGIN_KEY,
            RdioConfigKeys.CLIENT_LEASE_MARGIN_DEFAULT),
        time(
            conf, RdioConfigKeys.CLIENT_RPC_TIMEOUT_KEY, RdioConfigKeys.CLIENT_RPC_TIMEOUT_DEFAULT),
        time(
            conf,
            RdioConfigKeys.CLIENT_DATANODE_BACKOFF_KEY,
            RdioConfigKeys.CLIENT_DATANODE_BACKOFF_DEFAULT),
        time(conf, RdioConfigKeys.CLIENT_QUARANTINE_KEY, RdioConfigKeys.CLIENT_QUARANTINE_DEFAULT),
        number(
            conf,
            RdioConfigKeys.CLIENT_FIRST_BYTES_KEY,
            RdioConfigKeys.CLIENT_FIRST_BYTES_DEFAULT,
            0,
            Long.MAX_VALUE),
        conf.getBoolean(RdioConfigKeys.CLIENT_ROUTING_KEY, RdioConfigKeys.CLIENT_ROUTING_DEFAULT),
        (int)
            number(
                conf,
                RdioConfigKeys.CLIENT_READ_AHEAD_KEY,
                RdioConfigKeys.CLIENT_READ_AHEAD_DEFAULT,
                0,
                1 << 30),
        time(
            conf,
            RdioConfigKeys.CLIENT_READ_TIMEOUT_KEY,
            RdioConfigKeys.CLIENT_READ_TIMEOUT_DEFAULT),
        windowBytes(conf),
        number(
            conf,
            RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX_KEY,
            RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX_DEFAULT,
            1,
            Long.MAX_VALUE),
        dataCacheBytes(conf),
        dataCacheChunk(conf),
        storageAgents(conf),
        useDataNodeHostname(conf),
        conf.getTrimmed(
                HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY,
                HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_DEFAULT)
            .equals("NULL"),
        encryptionRequired(conf),
        tls(conf),
        TlsConfig.CLIENT.isMissing(conf));
  }

  /** By name also where TLS is on: certificates are for names. */
  static boolean useDataNodeHostname(Configuration conf) {
    return TlsConfig.CLIENT.isOn(conf)
        || conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
  }

  private static @Nullable TlsSettings tls(Configuration conf) throws FallbackException {
    try {
      return TlsConfig.CLIENT.settings(conf);
    } catch (IllegalArgumentException e) {
      throw new FallbackException(
          FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    }
  }

  /**
   * The DataNode's own rule, applied to the client's configuration: it may know better than a
   * DataNode whose administrator forgot to say so.
   */
  private static boolean encryptionRequired(Configuration conf) {
    boolean demanded =
        conf.getBoolean(ENCRYPT_DATA_TRANSFER, false)
            || isPrivate(conf, DATA_TRANSFER_PROTECTION)
            || isPrivate(conf, RPC_PROTECTION);
    return demanded
        && !conf.getBoolean(
            RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED_KEY,
            RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED_DEFAULT);
  }

  private static boolean isPrivate(Configuration conf, String key) {
    return conf.getTrimmedStringCollection(key).stream()
        .anyMatch(quality -> quality.equalsIgnoreCase("privacy"));
  }

  private static List<LocationSource> locations(Configuration conf) throws FallbackException {
    String key = RdioConfigKeys.CLIENT_LOCATIONS_KEY;
    String value = conf.getTrimmed(key, RdioConfigKeys.CLIENT_LOCATIONS_DEFAULT);
    try {
      List<LocationSource> sources =
          StringUtils.getTrimmedStringCollection(value).stream()
              .map(name -> LocationSource.valueOf(name.toUpperCase(Locale.ROOT)))
              .distinct()
              .toList();
      if (sources.isEmpty()) {
        throw invalid(key, value, "name at least one of 'recorded' and 'namenode'");
      }
      return sources;
    } catch (IllegalArgumentException e) {
      throw invalid(key, value, "use 'recorded', 'namenode' or both, with a comma between");
    }
  }

  private static Map<UUID, Path> devices(Configuration conf) throws FallbackException {
    String key = RdioConfigKeys.CLIENT_DEVICES_KEY;
    String value = conf.getTrimmed(key, RdioConfigKeys.CLIENT_DEVICES_DEFAULT);
    Map<UUID, Path> devices = new HashMap<>();
    for (String pair : StringUtils.getTrimmedStringCollection(value)) {
      int equals = pair.indexOf('=');
      try {
        UUID uuid = UUID.fromString(pair.substring(0, Math.max(equals, 0)).trim());
        Path node = Path.of(pair.substring(equals + 1).trim());
        if (!node.isAbsolute() || devices.put(uuid, node) != null) {
          throw new IllegalArgumentException("relative path, or a UUID given twice");
        }
      } catch (IllegalArgumentException e) {
        throw invalid(key, pair, "use FILE-SYSTEM-UUID=/dev/NODE pairs with commas between");
      }
    }
    return Map.copyOf(devices);
  }

  private static int windowBytes(Configuration conf) throws FallbackException {
    return (int)
        number(
            conf,
            RdioConfigKeys.CLIENT_READ_WINDOW_KEY,
            RdioConfigKeys.CLIENT_READ_WINDOW_DEFAULT,
            1,
            64 << 20);
  }

  private static int dataCacheChunk(Configuration conf) throws FallbackException {
    String key = RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK_KEY;
    String byDefault = RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK_DEFAULT;
    long bytes = number(conf, key, byDefault, BlockDataCache.MIN_CHUNK, BlockDataCache.MAX_CHUNK);
    if (Long.bitCount(bytes) != 1) {
      throw invalid(key, conf.getTrimmed(key, byDefault), "use a power of two such as 64k");
    }
    return (int) bytes;
  }

  private static long dataCacheBytes(Configuration conf) throws FallbackException {
    String key = RdioConfigKeys.CLIENT_DATA_CACHE_KEY;
    String byDefault = RdioConfigKeys.CLIENT_DATA_CACHE_DEFAULT;
    long chunk = dataCacheChunk(conf);
    long bytes = number(conf, key, byDefault, 0, chunk * BlockDataCache.MAX_CHUNKS);
    if (bytes > 0 && chunk > windowBytes(conf)) {
      throw invalid(
          RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK_KEY,
          Long.toString(chunk),
          "use at most dfs.client.rdio.read.window, " + windowBytes(conf));
    }
    if (bytes > 0 && bytes < chunk * BlockDataCache.MIN_CHUNKS) {
      throw invalid(
          key,
          conf.getTrimmed(key, byDefault),
          "use 0 for no cache, or at least "
              + BlockDataCache.MIN_CHUNKS
              + " chunks of dfs.client.rdio.data.cache.chunk, which are "
              + chunk * BlockDataCache.MIN_CHUNKS
              + " bytes");
    }
    return bytes;
  }

  private static List<String> storageAgents(Configuration conf) throws FallbackException {
    String key = RdioConfigKeys.CLIENT_DATA_CACHE_STORAGE_AGENTS_KEY;
    String value = conf.getTrimmed(key, RdioConfigKeys.CLIENT_DATA_CACHE_STORAGE_AGENTS_DEFAULT);
    List<String> agents =
        StringUtils.getTrimmedStringCollection(value).stream().distinct().toList();
    for (String agent : agents) {
      if (!isHostAndPort(agent)) {
        throw invalid(key, agent, "use HOST:PORT of 'rdio prefcache', with commas between several");
      }
    }
    return agents;
  }

  private static boolean isHostAndPort(String text) {
    try {
      URI uri = new URI("tcp://" + text).parseServerAuthority();
      return text.equals(uri.getHost() + ":" + uri.getPort())
          && uri.getPort() > 0
          && uri.getPort() <= 65535;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static Duration time(Configuration conf, String key, String byDefault)
      throws FallbackException {
    String value = conf.getTrimmed(key, byDefault);
    try {
      long millis = conf.getTimeDuration(key, byDefault, TimeUnit.MILLISECONDS);
      if (millis >= 0) {
        return Duration.ofMillis(millis);
      }
    } catch (IllegalArgumentException e) {
      // Said below, with the key.
    }
    throw invalid(key, value, "use a time such as 3s or 500ms");
  }

  private static long number(
      Configuration conf, String key, String byDefault, long least, long most)
      throws FallbackException {
    String value = conf.getTrimmed(key, byDefault);
    try {
      long number = StringUtils.TraditionalBinaryPrefix.string2long(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (IllegalArgumentException e) {
      // Said below, with the key.
    }
    throw invalid(key, value, "use a number from " + least + " to " + most);
  }

  private static FallbackException invalid(String key, String value, String fix) {
    return new FallbackException(
        FallbackReason.CONFIGURATION_INVALID, key + " is '" + value + "': " + fix);
  }
}
