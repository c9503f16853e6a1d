// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.client.datacache.flash.FlashFile;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.plane.grant.WriteSettings;
import io.rdio.client.runtime.RuntimeSettings;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.tls.TlsSettings;
import io.rdio.hdfs.ConfigKey;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.ThinSettings;
import io.rdio.hdfs.tls.TlsConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;

/**
 * What a client's configuration says about RDIO, read once. Without streams, whose classes would be
 * more than all others of a short-lived client. Clients with equal settings share one {@link
 * RdioClientContext}.
 *
 * @param dataNodePort of the plugins; 0 to ask each DataNode's web server
 * @param locations where block locations come from, in this order
 * @param plane where file maps come from
 * @param firstBytes of a block, by stock HDFS while its map is on its way; 0 to wait for the map
 * @param routing between which ways to choose by how fast they are
 * @param dataCacheBytes memory of the block data cache; 0 for none
 * @param dataCacheFlash its flash tier; null for none
 * @param storageAgents HOST:PORT of each that is told what the block data cache evicts
 * @param useDataNodeHostname reach DataNodes by name and not by address
 * @param nullChecksums files here are written without checksums, so a DataNode may say that they
 *     are
 * @param encryptionRequired the configuration demands encryption that a device read gets round
 * @param writes how slots to write to are asked for; null where nothing is written
 * @param tls to the DataNodes' plugins; null for plain text
 * @param tlsRequired it is null although this cluster is Kerberized, and no key allows it
 */
record ClientSettings(
    boolean enabled,
    int dataNodePort,
    List<LocationSource> locations,
    RuntimeSettings.Plane plane,
    Map<UUID, Path> devices,
    long cacheBytes,
    int prefetchBlocks,
    Duration leaseMargin,
    Duration rpcTimeout,
    Duration backOff,
    Duration quarantine,
    long firstBytes,
    Routing routing,
    int readAheadBytes,
    Duration readTimeout,
    int windowBytes,
    long bufferBytes,
    long dataCacheBytes,
    int dataCacheChunk,
    RuntimeSettings.@Nullable Flash dataCacheFlash,
    List<String> storageAgents,
    boolean useDataNodeHostname,
    boolean nullChecksums,
    boolean encryptionRequired,
    @Nullable WriteSettings writes,
    @Nullable TlsSettings tls,
    boolean tlsRequired) {

  /** What a DataNode takes at most to read a block back, and to have its disk sync it. */
  private static final Duration COMMIT_TIMEOUT = Duration.ofMinutes(1);

  /**
   * With the usual time for an answer, 3 s, this is more than the 5 s behind which a DataNode is
   * asked no more that a block can do without: so one that is silent then is asked once.
   */
  private static final Duration COMMIT_SILENCE = Duration.ofMillis(2500);

  private static final String FLASH_PATH_USE =
      "the absolute path of a file on a local SSD, or nothing for no flash tier";

  /** Between which ways reads choose, as {@code dfs.client.rdio.routing} names it. */
  enum Routing {
    FALSE,
    TRUE,
    ADAPTIVE
  }

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
    return of(conf, false);
  }

  /**
   * The same of a program that may be an agent.
   *
   * @param tokensChecked as in {@link RuntimeSettings.Plane}
   */
  static ClientSettings of(Configuration conf, boolean tokensChecked) throws FallbackException {
    try {
      return read(conf, tokensChecked);
    } catch (IllegalArgumentException e) { // says it all
      throw new FallbackException(
          FallbackReason.CONFIGURATION_INVALID, String.valueOf(e.getMessage()));
    }
  }

  private static ClientSettings read(Configuration conf, boolean tokensChecked) {
    return new ClientSettings(
        RdioConfigKeys.CLIENT_ENABLED.get(conf),
        RdioConfigKeys.CLIENT_DATANODE_PORT.get(conf),
        locations(conf),
        plane(conf, tokensChecked),
        devices(conf),
        RdioConfigKeys.CLIENT_FILEMAP_CACHE_SIZE.get(conf),
        RdioConfigKeys.CLIENT_FILEMAP_PREFETCH_BLOCKS.get(conf),
        RdioConfigKeys.CLIENT_LEASE_MARGIN.get(conf),
        RdioConfigKeys.CLIENT_RPC_TIMEOUT.get(conf),
        RdioConfigKeys.CLIENT_DATANODE_BACKOFF.get(conf),
        RdioConfigKeys.CLIENT_QUARANTINE.get(conf),
        RdioConfigKeys.CLIENT_FIRST_BYTES.get(conf),
        Routing.valueOf(RdioConfigKeys.CLIENT_ROUTING.get(conf).toUpperCase(Locale.ROOT)),
        RdioConfigKeys.CLIENT_READ_AHEAD.get(conf),
        RdioConfigKeys.CLIENT_READ_TIMEOUT.get(conf),
        RdioConfigKeys.CLIENT_READ_WINDOW.get(conf),
        RdioConfigKeys.CLIENT_BUFFER_MEMORY_MAX.get(conf),
        dataCacheBytes(conf),
        dataCacheChunk(conf),
        dataCacheFlash(conf),
        storageAgents(conf),
        useDataNodeHostname(conf),
        conf.getTrimmed(
                HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY,
                HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_DEFAULT)
            .equals("NULL"),
        ThinSettings.encryptionRequired(conf),
        tokensChecked ? writes(conf) : null,
        TlsConfig.CLIENT.settings(conf),
        TlsConfig.CLIENT.isMissing(conf));
  }

  /** By name also where TLS is on: certificates are for names. */
  static boolean useDataNodeHostname(Configuration conf) {
    return TlsConfig.CLIENT.isOn(conf)
        || conf.getBoolean(
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
            HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT);
  }

  private static List<LocationSource> locations(Configuration conf) {
    ConfigKey<List<String>> key = RdioConfigKeys.CLIENT_LOCATIONS;
    String use = "'recorded', 'namenode' or both, with a comma between";
    try {
      Set<LocationSource> sources = new LinkedHashSet<>();
      for (String name : key.get(conf)) {
        sources.add(LocationSource.valueOf(name.toUpperCase(Locale.ROOT)));
      }
      if (!sources.isEmpty()) {
        return List.copyOf(sources);
      }
    } catch (IllegalArgumentException e) {
      throw key.wrong(key.written(conf), use, e);
    }
    throw key.wrong(key.written(conf), use, null);
  }

  private static RuntimeSettings.Plane plane(Configuration conf, boolean tokensChecked) {
    String word = RdioConfigKeys.CLIENT_METADATA_PLANE.get(conf);
    RuntimeSettings.Plane.Source source =
        RuntimeSettings.Plane.Source.valueOf(word.toUpperCase(Locale.ROOT));
    return new RuntimeSettings.Plane(
        source,
        source == RuntimeSettings.Plane.Source.GRPC ? Set.of() : DataNodeUsers.numbers(conf),
        tokensChecked);
  }

  /** An agent's. */
  private static @Nullable WriteSettings writes(Configuration conf) {
    ConfigKey<String> key = RdioConfigKeys.CLIENT_AGENT_WRITE;
    String word = key.get(conf);
    if (word.equals("off")) {
      return null;
    }
    ConfigKey<String> plane = RdioConfigKeys.CLIENT_METADATA_PLANE;
    if (plane.get(conf).equals("device")) {
      throw key.wrong(word, "off where " + plane + " is device: writes are the DataNode's", null);
    }
    // A DataNode at the other end of TLS has shown its certificate.
    boolean trusting =
        TlsConfig.CLIENT.isOn(conf) || RdioConfigKeys.CLIENT_WRITE_UNPROVEN.get(conf);
    return new WriteSettings(
        COMMIT_TIMEOUT, COMMIT_SILENCE, trusting, RdioConfigKeys.CLIENT_WRITE_TIMEOUT.get(conf));
  }

  private static Map<UUID, Path> devices(Configuration conf) {
    ConfigKey<List<String>> key = RdioConfigKeys.CLIENT_DEVICES;
    Map<UUID, Path> devices = new HashMap<>();
    for (String pair : key.get(conf)) {
      int equals = pair.indexOf('=');
      try {
        UUID uuid = UUID.fromString(pair.substring(0, Math.max(equals, 0)).trim());
        Path node = Path.of(pair.substring(equals + 1).trim());
        if (!node.isAbsolute() || devices.put(uuid, node) != null) {
          throw new IllegalArgumentException("relative path, or a UUID given twice");
        }
      } catch (IllegalArgumentException e) {
        throw key.wrong(pair, "FILE-SYSTEM-UUID=/dev/NODE pairs with commas between", e);
      }
    }
    return Map.copyOf(devices);
  }

  private static int dataCacheChunk(Configuration conf) {
    ConfigKey<Integer> key = RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK;
    int bytes = key.get(conf);
    if (Integer.bitCount(bytes) != 1) {
      throw key.wrong(key.written(conf), "a power of two such as 64k", null);
    }
    return bytes;
  }

  private static long dataCacheBytes(Configuration conf) {
    ConfigKey<Long> key = RdioConfigKeys.CLIENT_DATA_CACHE;
    long chunk = dataCacheChunk(conf);
    int window = RdioConfigKeys.CLIENT_READ_WINDOW.get(conf);
    long bytes = key.get(conf);
    if (bytes > 0 && chunk > window) {
      throw RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK.wrong(
          Long.toString(chunk),
          "at most " + RdioConfigKeys.CLIENT_READ_WINDOW + ", " + window,
          null);
    }
    long least = chunk * BlockDataCache.MIN_CHUNKS;
    long most = chunk * BlockDataCache.MAX_CHUNKS;
    if (bytes > most || (bytes > 0 && bytes < least)) {
      throw key.wrong(
          key.written(conf),
          String.format(
              "0 for no cache, or %d to %d chunks of %s, which are %d to %d bytes",
              BlockDataCache.MIN_CHUNKS,
              BlockDataCache.MAX_CHUNKS,
              RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK,
              least,
              most),
          null);
    }
    return bytes;
  }

  private static RuntimeSettings.@Nullable Flash dataCacheFlash(Configuration conf) {
    ConfigKey<String> key = RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_PATH;
    if (!key.isSet(conf)) {
      return null;
    }
    ConfigKey<Long> size = RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_SIZE;
    long most = (long) dataCacheChunk(conf) * FlashTier.MAX_CHUNKS;
    if (size.get(conf) > most) {
      throw size.wrong(
          size.written(conf),
          "at most " + most + ", with " + RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK + " as it is",
          null);
    }
    try {
      Path file = Path.of(key.get(conf));
      if (file.isAbsolute()) {
        return new RuntimeSettings.Flash(file, size.get(conf) & -FlashFile.PAGE);
      }
    } catch (InvalidPathException e) {
      throw key.wrong(key.written(conf), FLASH_PATH_USE, e);
    }
    throw key.wrong(key.written(conf), FLASH_PATH_USE, null);
  }

  private static List<String> storageAgents(Configuration conf) {
    ConfigKey<List<String>> key = RdioConfigKeys.CLIENT_DATA_CACHE_STORAGE_AGENTS;
    Set<String> agents = new LinkedHashSet<>(key.get(conf));
    for (String agent : agents) {
      if (!isHostAndPort(agent)) {
        throw key.wrong(agent, "HOST:PORT of 'rdio prefcache', with commas between several", null);
      }
    }
    return List.copyOf(agents);
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
}
