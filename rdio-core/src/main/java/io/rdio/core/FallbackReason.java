// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

/**
 * Why a read did not, or could not, go to the device. One word for one cause, the same in the log,
 * in the metrics, on the wire and in the {@code rdio} command. Constants may be added; a name that
 * was released is never changed, for it is on the wire and in people's dashboards.
 */
public enum FallbackReason {
  // The client's own house.
  DISABLED("RDIO is switched off here", "set dfs.client.rdio.enabled to true"),
  CONFIGURATION_INVALID(
      "an RDIO key has a value that cannot be used", "correct it; see the detail"),
  NATIVE_LIBRARY_UNAVAILABLE(
      "librdio could not be loaded", "see the cause; -Drdio.native.path names a library to load"),
  FILE_UNDER_CONSTRUCTION(
      "the file is still being written", "none needed: readable by RDIO once it is closed"),
  LOCATION_UNKNOWN(
      "no DataNode is known for the block",
      "check that fs.defaultFS or dfs.nameservices names this NameNode, or set"
          + " dfs.client.failover.proxy.provider.<host> to RDIO's recording provider"),

  FIRST_READ(
      "the block is read for the first time", "none needed: RDIO maps what is read on, or again"),
  MAP_LOADING(
      "the block's map is on its way", "none needed: stock HDFS reads its first bytes meanwhile"),

  DATANODE_FASTER(
      "the DataNode is the faster way at present", "none needed: dfs.client.rdio.routing weighs"),

  // The way to the DataNode's plugin.
  METADATA_PLANE_UNREACHABLE(
      "the DataNode's RDIO port does not answer",
      "check dfs.datanode.plugins, dfs.datanode.rdio.address and the firewall"),
  TLS_REQUIRED(
      "the metadata plane must be reached with TLS, and this client has it off",
      "set dfs.client.rdio.tls to on or mutual, as dfs.datanode.rdio.tls is; only in a Kerberized"
          + " cluster without TLS on its DataNodes dfs.client.rdio.allow.plaintext"),
  TLS_FAILED(
      "the DataNode's RDIO port and this client do not agree on TLS",
      "see the detail; compare the certificates and dfs.client.rdio.tls with"
          + " dfs.datanode.rdio.tls"),
  METADATA_PLANE_BACKOFF(
      "the DataNode's RDIO port failed a moment ago", "see the first failure in the log"),
  DATANODE_BUSY(
      "the DataNode has as many RDIO calls under way as it takes",
      "none needed: the block is asked for again in a moment"),
  METADATA_PLANE_ERROR(
      "the DataNode's RDIO port gave an answer that makes no sense", "see its log"),
  METADATA_PLANE_UNAUTHENTIC(
      "the DataNode's RDIO port could not prove that it is the DataNode",
      "find out who listens on dfs.datanode.rdio.address there; if it is the DataNode, check that"
          + " it and the NameNode have the same block keys"),
  SESSION_UNKNOWN(
      "the DataNode does not know the client's session, as after its restart",
      "none needed: RDIO opens a new one"),
  PROTOCOL_MISMATCH(
      "client and DataNode speak different protocol versions", "install the same RDIO version"),

  // What the DataNode refuses to grant.
  DATANODE_NOT_READY("the block pool is not registered yet", "wait for the DataNode to start"),
  TOKEN_REFUSED("the block token is missing, forged or expired", "none needed if it is rare"),
  ENCRYPTION_REQUIRED(
      "the cluster asks for encrypted transfer, which a raw read would get round",
      "set dfs.datanode.rdio.allow.unencrypted and dfs.client.rdio.allow.unencrypted if the"
          + " storage fabric is trusted"),
  REPLICA_NOT_FOUND("the DataNode has no such replica", "none needed: it was deleted or moved"),
  REPLICA_NOT_FINALIZED("the replica is being written or recovered", "none needed"),
  REPLICA_CHANGED("the replica changed while it was pinned", "none needed: ask again"),
  STORAGE_UNSUPPORTED("the replica is not on a plain local disk (RAM_DISK or PROVIDED)", "none"),
  FILE_SYSTEM_UNSUPPORTED(
      "the volume's file system or its mount options rule out stable extents",
      "use ext4 (not data=journal) or xfs (no realtime) for the DataNode's volumes"),
  DEVICE_UNSUPPORTED(
      "the volume is not directly on a disk or partition (dm, md, network)",
      "put the file system directly on the namespace or on a partition of it"),
  EXTENTS_UNMAPPABLE("an extent has no fixed place on the device", "see the flags in the detail"),
  RECALL_PENDING("an older lease on this block is being recalled", "none needed: ask again"),
  PIN_LIMIT(
      "the volume's cap of pinned bytes is reached",
      "raise dfs.datanode.rdio.pins.max or dfs.datanode.rdio.pinned.deleted.bytes.max"),
  LEASE_LIMIT(
      "the clients at this address, or all of them, hold as many leases as the DataNode gives",
      "raise dfs.datanode.rdio.leases.per.address.max,"
          + " dfs.datanode.rdio.pinned.bytes.per.address.max, dfs.datanode.rdio.leases.max or"
          + " dfs.datanode.rdio.leases.memory.max; see the detail"),
  PIN_FAILED("the block's files could not be pinned", "see the DataNode's log"),
  VOLUME_STALLED(
      "the DataNode's volume did not answer in time",
      "see that volume's disk or fabric; RDIO grants on it again once it answers"),

  // The device as this host sees it.
  DEVICE_NOT_FOUND(
      "no local device is the DataNode's volume",
      "connect the namespace to this host, or name it in dfs.client.rdio.devices"),
  DEVICE_AMBIGUOUS(
      "several local devices look like the DataNode's volume",
      "name the right one in dfs.client.rdio.devices"),
  DEVICE_PERMISSION(
      "this user may not read the device", "add a udev rule and group (docs/nvmeof.md)"),
  DEVICE_MISMATCH("the device is not the one that the DataNode means", "see the detail"),
  DEVICE_IO_ERROR("the device failed a read", "see the kernel's log"),
  DEVICE_TIMEOUT(
      "the device does not answer",
      "see the kernel's log and the storage fabric; dfs.client.rdio.read.timeout is the wait"),

  // The read itself.
  BUFFERS_EXHAUSTED(
      "the memory for read buffers is in use", "raise dfs.client.rdio.buffer.memory.max"),
  LEASE_EXPIRED("the lease ran out or was recalled during the read", "none needed if it is rare"),
  CHECKSUM_MISMATCH(
      "the bytes on the device do not match their checksum",
      "stock HDFS decides about the replica"),
  CHECKSUM_UNSUPPORTED("the block's checksum type or chunk size is not known", "none"),
  REPLICA_QUARANTINED(
      "a checksum mismatch was seen here, so stock HDFS reads this block", "hdfs fsck"),
  ACCESSOR_CLOSED("the reader was closed during the read", "none needed"),
  INTERRUPTED("the reading thread was interrupted while it waited", "none needed"),
  INTERNAL_ERROR("RDIO failed in a way it should not", "report it with the stack trace");

  private final String text;
  private final String fix;

  FallbackReason(String text, String fix) {
    this.text = text;
    this.fix = fix;
  }

  /** The cause in one clause, for people. */
  public String text() {
    return text;
  }

  /** What an administrator can do about it. */
  public String fix() {
    return fix;
  }

  /**
   * The reason that a DataNode named; {@link #METADATA_PLANE_ERROR} for a name not known here, and
   * for what only a client can find: a DataNode that says so makes no sense, and must not have the
   * client draw its conclusions about devices and replicas.
   */
  public static FallbackReason ofWire(String name) {
    for (FallbackReason reason : values()) {
      if (reason.name().equals(name) && reason.isOfDataNode()) {
        return reason;
      }
    }
    return METADATA_PLANE_ERROR;
  }

  private boolean isOfDataNode() {
    return switch (this) { // without a default, so that nobody forgets a new one
      case TLS_REQUIRED,
          DATANODE_BUSY,
          METADATA_PLANE_ERROR,
          SESSION_UNKNOWN,
          PROTOCOL_MISMATCH,
          DATANODE_NOT_READY,
          TOKEN_REFUSED,
          ENCRYPTION_REQUIRED,
          REPLICA_NOT_FOUND,
          REPLICA_NOT_FINALIZED,
          REPLICA_CHANGED,
          STORAGE_UNSUPPORTED,
          FILE_SYSTEM_UNSUPPORTED,
          DEVICE_UNSUPPORTED,
          EXTENTS_UNMAPPABLE,
          RECALL_PENDING,
          PIN_LIMIT,
          LEASE_LIMIT,
          PIN_FAILED,
          VOLUME_STALLED,
          CHECKSUM_UNSUPPORTED,
          INTERNAL_ERROR ->
          true;
      case DISABLED,
          CONFIGURATION_INVALID,
          NATIVE_LIBRARY_UNAVAILABLE,
          FILE_UNDER_CONSTRUCTION,
          LOCATION_UNKNOWN,
          FIRST_READ,
          MAP_LOADING,
          DATANODE_FASTER,
          METADATA_PLANE_UNREACHABLE,
          TLS_FAILED,
          METADATA_PLANE_BACKOFF,
          METADATA_PLANE_UNAUTHENTIC,
          DEVICE_NOT_FOUND,
          DEVICE_AMBIGUOUS,
          DEVICE_PERMISSION,
          DEVICE_MISMATCH,
          DEVICE_IO_ERROR,
          DEVICE_TIMEOUT,
          BUFFERS_EXHAUSTED,
          LEASE_EXPIRED,
          CHECKSUM_MISMATCH,
          REPLICA_QUARANTINED,
          ACCESSOR_CLOSED,
          INTERRUPTED ->
          false;
    };
  }
}
