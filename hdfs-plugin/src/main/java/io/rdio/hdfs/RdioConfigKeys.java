// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;

/**
 * Every configuration key of RDIO with its default. What each means is in {@code rdio-default.xml},
 * which a test keeps in step. Sizes take Hadoop's suffixes (64m), times too (30s).
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public final class RdioConfigKeys {
  /** What all keys of the client start with. */
  public static final String CLIENT_PREFIX = "dfs.client.rdio.";

  /** What all keys of the DataNode start with. */
  public static final String DATANODE_PREFIX = "dfs.datanode.rdio.";

  public static final String CLIENT_ENABLED_KEY = CLIENT_PREFIX + "enabled";
  public static final boolean CLIENT_ENABLED_DEFAULT = false;

  public static final String CLIENT_DATANODE_PORT_KEY = CLIENT_PREFIX + "datanode.port";
  public static final int CLIENT_DATANODE_PORT_DEFAULT = 9860;

  public static final String CLIENT_LOCATIONS_KEY = CLIENT_PREFIX + "locations";
  public static final String CLIENT_LOCATIONS_DEFAULT = "recorded,namenode";

  public static final String CLIENT_DEVICES_KEY = CLIENT_PREFIX + "devices";
  public static final String CLIENT_DEVICES_DEFAULT = "";

  public static final String CLIENT_FILEMAP_CACHE_SIZE_KEY = CLIENT_PREFIX + "filemap.cache.size";
  public static final String CLIENT_FILEMAP_CACHE_SIZE_DEFAULT = "64m";

  public static final String CLIENT_FILEMAP_PREFETCH_BLOCKS_KEY =
      CLIENT_PREFIX + "filemap.prefetch.blocks";
  public static final int CLIENT_FILEMAP_PREFETCH_BLOCKS_DEFAULT = 8;

  public static final String CLIENT_LEASE_MARGIN_KEY = CLIENT_PREFIX + "lease.margin";
  public static final String CLIENT_LEASE_MARGIN_DEFAULT = "2s";

  public static final String CLIENT_RPC_TIMEOUT_KEY = CLIENT_PREFIX + "rpc.timeout";
  public static final String CLIENT_RPC_TIMEOUT_DEFAULT = "3s";

  public static final String CLIENT_DATANODE_BACKOFF_KEY = CLIENT_PREFIX + "datanode.backoff";
  public static final String CLIENT_DATANODE_BACKOFF_DEFAULT = "30s";

  public static final String CLIENT_QUARANTINE_KEY = CLIENT_PREFIX + "quarantine";
  public static final String CLIENT_QUARANTINE_DEFAULT = "10m";

  public static final String CLIENT_READ_AHEAD_KEY = CLIENT_PREFIX + "read.ahead";
  public static final String CLIENT_READ_AHEAD_DEFAULT = "4m";

  public static final String CLIENT_FIRST_BYTES_KEY = CLIENT_PREFIX + "first.bytes";
  public static final String CLIENT_FIRST_BYTES_DEFAULT = "256k";

  public static final String CLIENT_ROUTING_KEY = CLIENT_PREFIX + "routing";
  public static final boolean CLIENT_ROUTING_DEFAULT = false;

  public static final String CLIENT_VECTORED_THREADS_KEY = CLIENT_PREFIX + "vectored.threads";
  public static final int CLIENT_VECTORED_THREADS_DEFAULT = 8;

  public static final String CLIENT_READ_TIMEOUT_KEY = CLIENT_PREFIX + "read.timeout";
  public static final String CLIENT_READ_TIMEOUT_DEFAULT = "10s";

  public static final String CLIENT_READ_WINDOW_KEY = CLIENT_PREFIX + "read.window";
  public static final String CLIENT_READ_WINDOW_DEFAULT = "1m";

  public static final String CLIENT_BUFFER_MEMORY_MAX_KEY = CLIENT_PREFIX + "buffer.memory.max";
  public static final String CLIENT_BUFFER_MEMORY_MAX_DEFAULT = "256m";

  public static final String CLIENT_DATA_CACHE_KEY = CLIENT_PREFIX + "data.cache";
  public static final String CLIENT_DATA_CACHE_DEFAULT = "0";

  public static final String CLIENT_DATA_CACHE_CHUNK_KEY = CLIENT_PREFIX + "data.cache.chunk";
  public static final String CLIENT_DATA_CACHE_CHUNK_DEFAULT = "64k";

  public static final String CLIENT_DATA_CACHE_STORAGE_AGENTS_KEY =
      CLIENT_PREFIX + "data.cache.storage.agents";
  public static final String CLIENT_DATA_CACHE_STORAGE_AGENTS_DEFAULT = "";

  public static final String CLIENT_ALLOW_UNENCRYPTED_KEY = CLIENT_PREFIX + "allow.unencrypted";
  public static final boolean CLIENT_ALLOW_UNENCRYPTED_DEFAULT = false;

  public static final String CLIENT_ALLOW_PLAINTEXT_KEY = CLIENT_PREFIX + "allow.plaintext";
  public static final boolean CLIENT_ALLOW_PLAINTEXT_DEFAULT = false;

  public static final String CLIENT_TLS_KEY = CLIENT_PREFIX + "tls";
  public static final String CLIENT_TLS_DEFAULT = "off";

  public static final String CLIENT_TLS_CERTIFICATE_KEY = CLIENT_PREFIX + "tls.certificate";
  public static final String CLIENT_TLS_CERTIFICATE_DEFAULT = "";

  public static final String CLIENT_TLS_PRIVATE_KEY = CLIENT_PREFIX + "tls.private.key";
  public static final String CLIENT_TLS_PRIVATE_DEFAULT = "";

  public static final String CLIENT_TLS_TRUSTED_CERTIFICATES_KEY =
      CLIENT_PREFIX + "tls.trusted.certificates";
  public static final String CLIENT_TLS_TRUSTED_CERTIFICATES_DEFAULT = "";

  public static final String CLIENT_TLS_RELOAD_INTERVAL_KEY = CLIENT_PREFIX + "tls.reload.interval";
  public static final String CLIENT_TLS_RELOAD_INTERVAL_DEFAULT = "10s";

  public static final String DATANODE_ADDRESS_KEY = DATANODE_PREFIX + "address";
  public static final String DATANODE_ADDRESS_DEFAULT = "0.0.0.0:9860";

  public static final String DATANODE_LEASE_DURATION_KEY = DATANODE_PREFIX + "lease.duration";
  public static final String DATANODE_LEASE_DURATION_DEFAULT = "60s";

  public static final String DATANODE_IO_TIME_MAX_KEY = DATANODE_PREFIX + "io.time.max";
  public static final String DATANODE_IO_TIME_MAX_DEFAULT = "60s";

  public static final String DATANODE_PINS_MAX_KEY = DATANODE_PREFIX + "pins.max";
  public static final int DATANODE_PINS_MAX_DEFAULT = 100000;

  public static final String DATANODE_PINNED_DELETED_BYTES_MAX_KEY =
      DATANODE_PREFIX + "pinned.deleted.bytes.max";
  public static final String DATANODE_PINNED_DELETED_BYTES_MAX_DEFAULT = "10g";

  public static final String DATANODE_LEASES_PER_ADDRESS_MAX_KEY =
      DATANODE_PREFIX + "leases.per.address.max";
  public static final int DATANODE_LEASES_PER_ADDRESS_MAX_DEFAULT = 50000;

  public static final String DATANODE_PINNED_BYTES_PER_ADDRESS_MAX_KEY =
      DATANODE_PREFIX + "pinned.bytes.per.address.max";
  public static final String DATANODE_PINNED_BYTES_PER_ADDRESS_MAX_DEFAULT = "10t";

  public static final String DATANODE_LEASES_MAX_KEY = DATANODE_PREFIX + "leases.max";
  public static final int DATANODE_LEASES_MAX_DEFAULT = 1000000;

  public static final String DATANODE_LEASES_MEMORY_MAX_KEY = DATANODE_PREFIX + "leases.memory.max";
  public static final String DATANODE_LEASES_MEMORY_MAX_DEFAULT = "512m";

  public static final String DATANODE_CONNECTIONS_PER_ADDRESS_MAX_KEY =
      DATANODE_PREFIX + "connections.per.address.max";
  public static final int DATANODE_CONNECTIONS_PER_ADDRESS_MAX_DEFAULT = 256;

  public static final String DATANODE_CONNECTIONS_MAX_KEY = DATANODE_PREFIX + "connections.max";
  public static final int DATANODE_CONNECTIONS_MAX_DEFAULT = 4096;

  public static final String DATANODE_RECALL_STREAMS_MAX_KEY =
      DATANODE_PREFIX + "recall.streams.max";
  public static final int DATANODE_RECALL_STREAMS_MAX_DEFAULT = 4096;

  public static final String DATANODE_GRANTS_WAITING_MAX_KEY =
      DATANODE_PREFIX + "grants.waiting.max";
  public static final int DATANODE_GRANTS_WAITING_MAX_DEFAULT = 256;

  public static final String DATANODE_CALLS_QUEUED_MAX_KEY = DATANODE_PREFIX + "calls.queued.max";
  public static final int DATANODE_CALLS_QUEUED_MAX_DEFAULT = 1024;

  public static final String DATANODE_RESETS_PER_CONNECTION_MAX_KEY =
      DATANODE_PREFIX + "resets.per.connection.max";
  public static final int DATANODE_RESETS_PER_CONNECTION_MAX_DEFAULT = 200;

  public static final String DATANODE_LIST_LEASES_FROM_KEY = DATANODE_PREFIX + "list.leases.from";
  public static final String DATANODE_LIST_LEASES_FROM_DEFAULT = "";

  public static final String DATANODE_GRANT_BATCH_MAX_KEY = DATANODE_PREFIX + "grant.batch.max";
  public static final int DATANODE_GRANT_BATCH_MAX_DEFAULT = 1024;

  public static final String DATANODE_RECALL_CHECK_INTERVAL_KEY =
      DATANODE_PREFIX + "recall.check.interval";
  public static final String DATANODE_RECALL_CHECK_INTERVAL_DEFAULT = "1s";

  public static final String DATANODE_APPEND_WAIT_KEY = DATANODE_PREFIX + "append.wait";
  public static final String DATANODE_APPEND_WAIT_DEFAULT = "500ms";

  public static final String DATANODE_ALLOW_UNENCRYPTED_KEY = DATANODE_PREFIX + "allow.unencrypted";
  public static final boolean DATANODE_ALLOW_UNENCRYPTED_DEFAULT = false;

  public static final String DATANODE_ALLOW_PLAINTEXT_KEY = DATANODE_PREFIX + "allow.plaintext";
  public static final boolean DATANODE_ALLOW_PLAINTEXT_DEFAULT = false;

  public static final String DATANODE_TLS_KEY = DATANODE_PREFIX + "tls";
  public static final String DATANODE_TLS_DEFAULT = "off";

  public static final String DATANODE_TLS_CERTIFICATE_KEY = DATANODE_PREFIX + "tls.certificate";
  public static final String DATANODE_TLS_CERTIFICATE_DEFAULT = "";

  public static final String DATANODE_TLS_PRIVATE_KEY = DATANODE_PREFIX + "tls.private.key";
  public static final String DATANODE_TLS_PRIVATE_DEFAULT = "";

  public static final String DATANODE_TLS_TRUSTED_CERTIFICATES_KEY =
      DATANODE_PREFIX + "tls.trusted.certificates";
  public static final String DATANODE_TLS_TRUSTED_CERTIFICATES_DEFAULT = "";

  public static final String DATANODE_TLS_RELOAD_INTERVAL_KEY =
      DATANODE_PREFIX + "tls.reload.interval";
  public static final String DATANODE_TLS_RELOAD_INTERVAL_DEFAULT = "10s";

  private RdioConfigKeys() {}
}
