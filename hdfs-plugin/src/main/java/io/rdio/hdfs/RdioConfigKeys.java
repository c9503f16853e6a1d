// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import io.rdio.client.ReadGeometry;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;

/**
 * Every configuration key of RDIO with its default and its range. What each means is in {@code
 * rdio-default.xml}, which a test keeps in step.
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public final class RdioConfigKeys {
  /** What all keys of the client start with. */
  public static final String CLIENT_PREFIX = "dfs.client.rdio.";

  /** What all keys of the DataNode start with. */
  public static final String DATANODE_PREFIX = "dfs.datanode.rdio.";

  /** What all keys start with that only the agent of a host reads. */
  public static final String AGENT_PREFIX = "dfs.rdio.agent.";

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration DAY = Duration.ofDays(1);

  public static final ConfigKey<Boolean> CLIENT_ENABLED =
      ConfigKey.flag(CLIENT_PREFIX + "enabled", false);

  public static final ConfigKey<Integer> CLIENT_DATANODE_PORT =
      ConfigKey.number(CLIENT_PREFIX + "datanode.port", "9860", 0, 65535);

  public static final ConfigKey<List<String>> CLIENT_LOCATIONS =
      ConfigKey.list(CLIENT_PREFIX + "locations", "recorded,namenode");

  public static final ConfigKey<List<String>> CLIENT_DEVICES =
      ConfigKey.list(CLIENT_PREFIX + "devices", "");

  public static final ConfigKey<Long> CLIENT_FILEMAP_CACHE_SIZE =
      ConfigKey.size(CLIENT_PREFIX + "filemap.cache.size", "64m", 1);

  public static final ConfigKey<Integer> CLIENT_FILEMAP_PREFETCH_BLOCKS =
      ConfigKey.number(CLIENT_PREFIX + "filemap.prefetch.blocks", "8", 0, 1000);

  public static final ConfigKey<Duration> CLIENT_LEASE_MARGIN =
      ConfigKey.time(CLIENT_PREFIX + "lease.margin", "2s");

  public static final ConfigKey<Duration> CLIENT_RPC_TIMEOUT =
      ConfigKey.time(CLIENT_PREFIX + "rpc.timeout", "3s");

  public static final ConfigKey<Duration> CLIENT_DATANODE_BACKOFF =
      ConfigKey.time(CLIENT_PREFIX + "datanode.backoff", "30s");

  public static final ConfigKey<Duration> CLIENT_QUARANTINE =
      ConfigKey.time(CLIENT_PREFIX + "quarantine", "10m");

  public static final ConfigKey<Integer> CLIENT_READ_AHEAD =
      ConfigKey.number(CLIENT_PREFIX + "read.ahead", "16m", 0, 1 << 30);

  public static final ConfigKey<Long> CLIENT_FIRST_BYTES =
      ConfigKey.size(CLIENT_PREFIX + "first.bytes", "256k", 0);

  public static final ConfigKey<Long> CLIENT_DEVICE_AFTER =
      ConfigKey.size(CLIENT_PREFIX + "device.after", "128m", 0);

  public static final ConfigKey<Boolean> CLIENT_EXIT_REPORT =
      ConfigKey.flag(CLIENT_PREFIX + "exit.report", false);

  public static final ConfigKey<Boolean> CLIENT_JOB_COUNTER =
      ConfigKey.flag(CLIENT_PREFIX + "job.counter", false);

  public static final ConfigKey<String> CLIENT_ROUTING =
      ConfigKey.word(CLIENT_PREFIX + "routing", "false", "false", "true", "adaptive");

  public static final ConfigKey<String> CLIENT_METADATA_PLANE =
      ConfigKey.word(CLIENT_PREFIX + "metadata-plane", "grpc", "grpc", "device", "auto");

  public static final ConfigKey<List<String>> CLIENT_METADATA_PLANE_OWNERS =
      ConfigKey.list(CLIENT_PREFIX + "metadata-plane.owners", "hdfs");

  public static final ConfigKey<Integer> CLIENT_VECTORED_THREADS =
      ConfigKey.count(CLIENT_PREFIX + "vectored.threads", 8, 0);

  public static final ConfigKey<Duration> CLIENT_READ_TIMEOUT =
      ConfigKey.time(CLIENT_PREFIX + "read.timeout", "10s");

  public static final ConfigKey<Integer> CLIENT_READ_WINDOW =
      ConfigKey.number(CLIENT_PREFIX + "read.window", "1m", 1, 64 << 20);

  public static final ConfigKey<Long> CLIENT_BUFFER_MEMORY_MAX =
      ConfigKey.size(CLIENT_PREFIX + "buffer.memory.max", "256m", 1);

  public static final ConfigKey<Long> CLIENT_DATA_CACHE =
      ConfigKey.size(CLIENT_PREFIX + "data.cache", "0", 0);

  public static final ConfigKey<Integer> CLIENT_DATA_CACHE_CHUNK =
      ConfigKey.number(
          CLIENT_PREFIX + "data.cache.chunk",
          "64k",
          ReadGeometry.SMALLEST_CHUNK,
          ReadGeometry.LARGEST_CHUNK);

  public static final ConfigKey<String> CLIENT_DATA_CACHE_FLASH_PATH =
      ConfigKey.text(CLIENT_PREFIX + "data.cache.flash.path", "");

  public static final ConfigKey<Long> CLIENT_DATA_CACHE_FLASH_SIZE =
      ConfigKey.size(CLIENT_PREFIX + "data.cache.flash.size", "16g", 32 << 20);

  public static final ConfigKey<List<String>> CLIENT_DATA_CACHE_STORAGE_AGENTS =
      ConfigKey.list(CLIENT_PREFIX + "data.cache.storage.agents", "");

  public static final ConfigKey<String> CLIENT_AGENT =
      ConfigKey.word(CLIENT_PREFIX + "agent", "auto", "auto", "required", "off");

  public static final ConfigKey<String> CLIENT_AGENT_SOCKET =
      ConfigKey.text(CLIENT_PREFIX + "agent.socket", "/run/rdio/agent.sock");

  public static final ConfigKey<Long> CLIENT_AGENT_MEMORY =
      ConfigKey.size(CLIENT_PREFIX + "agent.memory", "16m", 1 << 20);

  public static final ConfigKey<String> CLIENT_AGENT_WRITE =
      ConfigKey.word(CLIENT_PREFIX + "agent.write", "off", "off", "on");

  public static final ConfigKey<Boolean> CLIENT_WRITE_UNPROVEN =
      ConfigKey.flag(CLIENT_PREFIX + "write.unproven", false);

  public static final ConfigKey<String> CLIENT_WRITE =
      ConfigKey.word(CLIENT_PREFIX + "write", "off", "off", "auto");

  public static final ConfigKey<List<String>> CLIENT_WRITE_PATHS =
      ConfigKey.list(CLIENT_PREFIX + "write.paths", "/");

  // Each file that is open for writing keeps so much in memory.
  public static final ConfigKey<Integer> CLIENT_WRITE_SMALL =
      ConfigKey.number(CLIENT_PREFIX + "write.small", "1m", 0, 64 << 20);

  // A process waits five minutes for each answer of its agent.
  public static final ConfigKey<Duration> CLIENT_WRITE_TIMEOUT =
      ConfigKey.time(CLIENT_PREFIX + "write.timeout", "60s", SECOND, Duration.ofMinutes(2));

  public static final ConfigKey<String> CLIENT_WRITE_PARITY =
      ConfigKey.word(CLIENT_PREFIX + "write.parity", "off", "off", "immediate", "deferred");

  public static final ConfigKey<List<String>> CLIENT_WRITE_PARITY_WAIT =
      ConfigKey.list(CLIENT_PREFIX + "write.parity.wait", "");

  public static final ConfigKey<Long> CLIENT_WRITE_PARITY_MEMORY =
      ConfigKey.size(CLIENT_PREFIX + "write.parity.memory", "256m", 1 << 20);

  public static final ConfigKey<Duration> CLIENT_WRITE_PARITY_ALARM =
      ConfigKey.time(CLIENT_PREFIX + "write.parity.alarm", "60s", SECOND, DAY);

  public static final ConfigKey<Duration> CLIENT_WRITE_PARITY_TIME_MAX =
      ConfigKey.time(CLIENT_PREFIX + "write.parity.time.max", "10m", SECOND, DAY);

  public static final ConfigKey<Boolean> CLIENT_ALLOW_UNENCRYPTED =
      ConfigKey.flag(CLIENT_PREFIX + "allow.unencrypted", false);

  public static final TlsConfigKeys CLIENT_TLS = new TlsConfigKeys(CLIENT_PREFIX);

  public static final ConfigKey<String> DATANODE_ADDRESS =
      ConfigKey.text(DATANODE_PREFIX + "address", "0.0.0.0:9860");

  public static final ConfigKey<Duration> DATANODE_LEASE_DURATION =
      ConfigKey.time(DATANODE_PREFIX + "lease.duration", "60s", SECOND, DAY);

  // At least what clients cannot see of a pause of their machine: docs/protocol.md, C6.
  public static final ConfigKey<Duration> DATANODE_IO_TIME_MAX =
      ConfigKey.time(DATANODE_PREFIX + "io.time.max", "60s", SECOND, DAY);

  public static final ConfigKey<Integer> DATANODE_PINS_MAX =
      ConfigKey.count(DATANODE_PREFIX + "pins.max", 100000, 1);

  public static final ConfigKey<Long> DATANODE_PINNED_DELETED_BYTES_MAX =
      ConfigKey.size(DATANODE_PREFIX + "pinned.deleted.bytes.max", "10g", 1);

  public static final ConfigKey<Integer> DATANODE_LEASES_PER_ADDRESS_MAX =
      ConfigKey.count(DATANODE_PREFIX + "leases.per.address.max", 50000, 1);

  public static final ConfigKey<Long> DATANODE_PINNED_BYTES_PER_ADDRESS_MAX =
      ConfigKey.size(DATANODE_PREFIX + "pinned.bytes.per.address.max", "10t", 1);

  public static final ConfigKey<Integer> DATANODE_LEASES_MAX =
      ConfigKey.count(DATANODE_PREFIX + "leases.max", 1000000, 1);

  public static final ConfigKey<Long> DATANODE_LEASES_MEMORY_MAX =
      ConfigKey.size(DATANODE_PREFIX + "leases.memory.max", "512m", 1);

  public static final ConfigKey<Integer> DATANODE_CONNECTIONS_PER_ADDRESS_MAX =
      ConfigKey.count(DATANODE_PREFIX + "connections.per.address.max", 256, 1);

  public static final ConfigKey<Integer> DATANODE_CONNECTIONS_MAX =
      ConfigKey.count(DATANODE_PREFIX + "connections.max", 4096, 1);

  public static final ConfigKey<Integer> DATANODE_RECALL_STREAMS_MAX =
      ConfigKey.count(DATANODE_PREFIX + "recall.streams.max", 4096, 1);

  public static final ConfigKey<Integer> DATANODE_GRANTS_WAITING_MAX =
      ConfigKey.count(DATANODE_PREFIX + "grants.waiting.max", 256, 1);

  public static final ConfigKey<Integer> DATANODE_CALLS_QUEUED_MAX =
      ConfigKey.count(DATANODE_PREFIX + "calls.queued.max", 1024, 1);

  public static final ConfigKey<Integer> DATANODE_RESETS_PER_CONNECTION_MAX =
      ConfigKey.count(DATANODE_PREFIX + "resets.per.connection.max", 200, 1);

  public static final ConfigKey<String> DATANODE_LIST_LEASES_FROM =
      ConfigKey.text(DATANODE_PREFIX + "list.leases.from", "");

  public static final ConfigKey<Integer> DATANODE_GRANT_BATCH_MAX =
      ConfigKey.count(DATANODE_PREFIX + "grant.batch.max", 1024, 1);

  public static final ConfigKey<Duration> DATANODE_RECALL_CHECK_INTERVAL =
      ConfigKey.time(DATANODE_PREFIX + "recall.check.interval", "1s", Duration.ofMillis(10), DAY);

  // Each DataNode of a pipeline waits in turn, and the writer gives up after a minute.
  public static final ConfigKey<Duration> DATANODE_APPEND_WAIT =
      ConfigKey.time(
          DATANODE_PREFIX + "append.wait", "500ms", Duration.ZERO, Duration.ofSeconds(10));

  public static final ConfigKey<Boolean> DATANODE_ALLOW_UNENCRYPTED =
      ConfigKey.flag(DATANODE_PREFIX + "allow.unencrypted", false);

  public static final ConfigKey<String> DATANODE_FENCE =
      ConfigKey.word(DATANODE_PREFIX + "fence", "off", "off", "auto", "required");

  public static final ConfigKey<String> DATANODE_WRITE =
      ConfigKey.word(DATANODE_PREFIX + "write", "off", "off", "fenced", "on");

  public static final ConfigKey<Duration> DATANODE_WRITE_LEASE_DURATION =
      ConfigKey.time(DATANODE_PREFIX + "write.lease.duration", "30s", SECOND, DAY);

  // What it has to cover: docs/nvmeof.md.
  public static final ConfigKey<Duration> DATANODE_WRITE_IO_TIME_MAX =
      ConfigKey.time(DATANODE_PREFIX + "write.io.time.max", "60s", SECOND, DAY);

  public static final ConfigKey<Long> DATANODE_WRITE_POOL_SIZE =
      ConfigKey.size(DATANODE_PREFIX + "write.pool.size", "1g", 1 << 20);

  public static final ConfigKey<String> DATANODE_WRITE_VERIFY =
      ConfigKey.word(DATANODE_PREFIX + "write.verify", "sample", "sample", "all");

  public static final ConfigKey<Boolean> DATANODE_WRITE_RECYCLE =
      ConfigKey.flag(DATANODE_PREFIX + "write.recycle", false);

  public static final TlsConfigKeys DATANODE_TLS = new TlsConfigKeys(DATANODE_PREFIX);

  public static final ConfigKey<Integer> AGENT_LANES_MAX =
      ConfigKey.count(AGENT_PREFIX + "lanes.max", 1024, 1);

  public static final ConfigKey<Integer> AGENT_LANES_PER_USER_MAX =
      ConfigKey.count(AGENT_PREFIX + "lanes.per.user.max", 512, 1);

  public static final ConfigKey<Integer> AGENT_LANES_PER_PROCESS_MAX =
      ConfigKey.count(AGENT_PREFIX + "lanes.per.process.max", 64, 1);

  public static final ConfigKey<Integer> AGENT_OPEN_PER_PROCESS_MAX =
      ConfigKey.number(AGENT_PREFIX + "open.per.process.max", "4k", 1, 1 << 16);

  public static final ConfigKey<Long> AGENT_MEMORY_PER_PROCESS_MAX =
      ConfigKey.size(AGENT_PREFIX + "memory.per.process.max", "64m", 1 << 20);

  public static final ConfigKey<Long> AGENT_MEMORY_PER_USER_MAX =
      ConfigKey.size(AGENT_PREFIX + "memory.per.user.max", "1g", 1 << 20);

  public static final ConfigKey<String> AGENT_METRICS_ADDRESS =
      ConfigKey.text(AGENT_PREFIX + "metrics.address", "");

  public static final ConfigKey<String> AGENT_KEYTAB_FILE =
      ConfigKey.text(AGENT_PREFIX + "keytab.file", "");

  public static final ConfigKey<String> AGENT_KERBEROS_PRINCIPAL =
      ConfigKey.text(AGENT_PREFIX + "kerberos.principal", "");

  public static final ConfigKey<Duration> AGENT_PATIENCE =
      ConfigKey.time(AGENT_PREFIX + "patience", "5s", SECOND, DAY);

  public static final ConfigKey<Duration> AGENT_IDLE =
      ConfigKey.time(AGENT_PREFIX + "idle", "1m", SECOND, DAY);

  private RdioConfigKeys() {}
}
