// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

import static io.rdio.core.FallbackPolicy.Loudness.ALARMING;
import static io.rdio.core.FallbackPolicy.Loudness.NOTEWORTHY;
import static io.rdio.core.FallbackPolicy.Loudness.ROUTINE;
import static io.rdio.core.FallbackPolicy.MapVerdict.DEVICE_FAILED;
import static io.rdio.core.FallbackPolicy.MapVerdict.DEVICE_HANGS;
import static io.rdio.core.FallbackPolicy.MapVerdict.GREW_OLD;
import static io.rdio.core.FallbackPolicy.MapVerdict.STANDS;
import static io.rdio.core.FallbackPolicy.MapVerdict.SUSPECT;
import static io.rdio.core.FallbackPolicy.MapVerdict.USELESS_HERE;
import static io.rdio.core.FallbackPolicy.Memory.BACK_OFF;
import static io.rdio.core.FallbackPolicy.Memory.MOMENT;
import static io.rdio.core.FallbackPolicy.Memory.NONE;
import static io.rdio.core.FallbackPolicy.Memory.QUARANTINE;
import static io.rdio.core.FallbackPolicy.Scope.BLOCK;
import static io.rdio.core.FallbackPolicy.Scope.HOST;
import static io.rdio.core.FallbackPolicy.Scope.PLANE;
import static io.rdio.core.FallbackPolicy.Scope.READ;
import static io.rdio.core.FallbackPolicy.Scope.REPLICA;
import static io.rdio.core.FallbackPolicy.Scope.STORAGE;
import static io.rdio.core.FallbackPolicy.Speaker.CLIENT;
import static io.rdio.core.FallbackPolicy.Speaker.DATANODE;

/**
 * Why a read or a write did not, or could not, go to the device. One word for one cause, the same
 * in the log, in the metrics, on the wire and in the {@code rdio} command. Each has its {@link
 * FallbackPolicy}, by which others decide what follows. Constants may be added; a name that was
 * released is never changed, for it is on the wire and in people's dashboards.
 */
public enum FallbackReason {
  // The client's own house.
  DISABLED(
      policy(HOST, NONE, ROUTINE, CLIENT, STANDS),
      "RDIO is switched off here",
      "set {ENABLED} to true"),
  CONFIGURATION_INVALID(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "an RDIO key has a value that cannot be used",
      "correct it; see the detail"),
  NATIVE_LIBRARY_UNAVAILABLE(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "librdio could not be loaded",
      "see the cause; -Drdio.native.path names a library to load"),
  ASYNC_IO_UNAVAILABLE(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "neither io_uring nor io_submit may be used here",
      "allow one of them; in a container, by its seccomp profile"),
  HADOOP_UNSUPPORTED(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the Hadoop of this process lacks what RDIO needs of it",
      "use Hadoop 3.3, 3.4 or 3.5, all of its jars of one version; see the detail for what is"
          + " missing"),
  FILE_UNDER_CONSTRUCTION(
      policy(BLOCK, NONE, ROUTINE, CLIENT, STANDS),
      "the file is still being written",
      "none needed: readable by RDIO once it is closed"),
  LOCATION_UNKNOWN(
      policy(BLOCK, MOMENT, NOTEWORTHY, CLIENT, STANDS),
      "no DataNode is known for the block",
      "check that {DEFAULT_FILE_SYSTEM} or {NAME_SERVICES} names this NameNode, or set"
          + " {FAILOVER_PROXY_PROVIDER}.<host> to RDIO's recording provider"),

  FIRST_READ(
      policy(BLOCK, NONE, ROUTINE, CLIENT, STANDS),
      "the block is read for the first time",
      "none needed: RDIO maps what is read on, or again"),
  MAP_LOADING(
      policy(BLOCK, NONE, ROUTINE, CLIENT, STANDS),
      "the block's map is on its way",
      "none needed: stock HDFS reads its first bytes meanwhile"),

  DATANODE_FASTER(
      policy(READ, NONE, ROUTINE, CLIENT, STANDS),
      "the DataNode is the faster way at present",
      "none needed: {ROUTING} weighs"),

  PROCESS_YOUNG(
      policy(HOST, NONE, ROUTINE, CLIENT, STANDS),
      "the process has not read enough yet for opening devices to pay",
      "none needed: {DEVICE_AFTER} says how much is enough; by this host's agent it reads at once"),

  // The way to this host's agent.
  JVM_TOO_OLD(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "this JVM is too old to open devices itself",
      "run the agent of this host, or this program on Java 17 or later"),
  AGENT_UNAVAILABLE(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the agent of this host does not answer",
      "see the detail, and whether the agent runs there"),
  AGENT_BUSY(
      policy(HOST, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the agent of this host serves as many as it may, or more ask it than may wait",
      "see the detail for which of its limits was met"),

  // The way to the DataNode's plugin.
  METADATA_PLANE_UNREACHABLE(
      policy(PLANE, BACK_OFF, NOTEWORTHY, CLIENT, STANDS),
      "the DataNode's RDIO port does not answer",
      "check {DATANODE_PLUGINS}, {DATANODE_ADDRESS} and the firewall"),
  TLS_REQUIRED(
      policy(PLANE, BACK_OFF, NOTEWORTHY, DATANODE, STANDS),
      "the metadata plane must be reached with TLS, and this client has it off",
      "set {CLIENT_TLS} to on or mutual, as {DATANODE_TLS} is; only in a Kerberized"
          + " cluster without TLS on its DataNodes {CLIENT_ALLOW_PLAINTEXT}"),
  TLS_FAILED(
      policy(PLANE, BACK_OFF, NOTEWORTHY, CLIENT, STANDS),
      "the DataNode's RDIO port and this client do not agree on TLS",
      "see the detail; compare the certificates and {CLIENT_TLS} with" + " {DATANODE_TLS}"),
  METADATA_PLANE_BACKOFF(
      policy(PLANE, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the DataNode's RDIO port failed a moment ago",
      "see the first failure in the log"),
  DATANODE_BUSY(
      policy(BLOCK, BACK_OFF, NOTEWORTHY, DATANODE, STANDS),
      "the DataNode has as many RDIO calls under way as it takes",
      "none needed: the block is asked for again in a moment"),
  METADATA_PLANE_ERROR(
      policy(PLANE, BACK_OFF, NOTEWORTHY, DATANODE, USELESS_HERE),
      "the DataNode's RDIO port gave an answer that makes no sense",
      "see its log"),
  METADATA_PLANE_UNAUTHENTIC(
      policy(PLANE, BACK_OFF, NOTEWORTHY, CLIENT, STANDS),
      "the DataNode's RDIO port could not prove that it is the DataNode",
      "find out who listens on {DATANODE_ADDRESS} there; if it is the DataNode, check that"
          + " it and the NameNode have the same block keys"),
  SESSION_UNKNOWN(
      policy(PLANE, NONE, NOTEWORTHY, DATANODE, STANDS),
      "the DataNode does not know the client's session, as after its restart",
      "none needed: RDIO opens a new one"),
  PROTOCOL_MISMATCH(
      policy(PLANE, BACK_OFF, NOTEWORTHY, DATANODE, STANDS),
      "the two ends speak different versions of RDIO's protocol",
      "install the same RDIO version"),

  // What the DataNode refuses to grant.
  DATANODE_NOT_READY(
      policy(PLANE, NONE, NOTEWORTHY, DATANODE, STANDS),
      "the block pool is not registered yet",
      "wait for the DataNode to start"),
  TOKEN_REFUSED(
      policy(BLOCK, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the block token is missing, forged or expired",
      "none needed if it is rare"),
  ENCRYPTION_REQUIRED(
      policy(HOST, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the cluster asks for encrypted transfer, which a raw read would get round",
      "set {DATANODE_ALLOW_UNENCRYPTED} and {CLIENT_ALLOW_UNENCRYPTED} if the"
          + " storage fabric is trusted"),
  REPLICA_NOT_FOUND(
      policy(REPLICA, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the DataNode has no such replica",
      "none needed: it was deleted or moved"),
  REPLICA_NOT_FINALIZED(
      policy(REPLICA, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the replica is being written or recovered",
      "none needed"),
  REPLICA_CHANGED(
      policy(REPLICA, NONE, NOTEWORTHY, DATANODE, USELESS_HERE),
      "the replica has changed, or is shorter than its reader expects",
      "none needed: ask again"),
  STORAGE_UNSUPPORTED(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the replica is not on a plain local disk (RAM_DISK or PROVIDED)",
      "none"),
  FILE_SYSTEM_UNSUPPORTED(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the volume's file system or its mount options rule out stable extents",
      "use ext4 (not data=journal) or xfs (no realtime) for the DataNode's volumes"),
  DEVICE_UNSUPPORTED(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, USELESS_HERE),
      "the volume is not directly on a disk or partition (dm, md, network)",
      "put the file system directly on the namespace or on a partition of it"),
  EXTENTS_UNMAPPABLE(
      policy(REPLICA, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "an extent has no fixed place on the device",
      "see the flags in the detail"),
  RECALL_PENDING(
      policy(BLOCK, NONE, NOTEWORTHY, DATANODE, STANDS),
      "an older lease on this block is being recalled",
      "none needed: ask again"),
  PIN_LIMIT(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the volume has as many pinned blocks, or as many bytes of deleted ones, as it may",
      "raise {PINS_MAX} or {PINNED_DELETED_BYTES_MAX}"),
  LEASE_LIMIT(
      policy(HOST, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the clients at this address, or all of them, hold as many leases as the DataNode gives",
      "raise {LEASES_PER_ADDRESS_MAX},"
          + " {PINNED_BYTES_PER_ADDRESS_MAX}, {LEASES_MAX} or"
          + " {LEASES_MEMORY_MAX}; see the detail"),
  PIN_FAILED(
      policy(REPLICA, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the block's files could not be pinned",
      "see the DataNode's log"),
  VOLUME_STALLED(
      policy(STORAGE, NONE, NOTEWORTHY, DATANODE, STANDS),
      "the DataNode's volume did not answer in time",
      "see that volume's disk or fabric; RDIO grants on it again once it answers"),
  VOLUME_UNFENCED(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "other hosts could write to the volume's device, or one has shut the DataNode's host out",
      "see the detail, docs/fencing.md, and 'rdio fence --status' on the DataNode's host"),

  // The device as this host sees it.
  DEVICE_NOT_FOUND(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, USELESS_HERE),
      "no local device is the DataNode's volume",
      "connect the namespace to this host, or name it in {DEVICES}"),
  DEVICE_AMBIGUOUS(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, USELESS_HERE),
      "several local devices look like the DataNode's volume",
      "name the right one in {DEVICES}"),
  DEVICE_PERMISSION(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, USELESS_HERE),
      "this user may not open the device",
      "add a udev rule and group (docs/nvmeof.md)"),
  DEVICE_MISMATCH(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, DEVICE_FAILED),
      "the device is not the one that the DataNode means",
      "see the detail"),
  DEVICE_IO_ERROR(
      policy(REPLICA, BACK_OFF, NOTEWORTHY, CLIENT, DEVICE_FAILED),
      "the device failed a read or a write",
      "see the kernel's log"),
  DEVICE_TIMEOUT(
      policy(REPLICA, BACK_OFF, NOTEWORTHY, CLIENT, DEVICE_HANGS),
      "the device does not answer",
      "see the kernel's log and the storage fabric; {READ_TIMEOUT} is the wait, of writes"
          + " {WRITE_TIMEOUT}"),

  XFS_NEEDS_DATANODE(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, USELESS_HERE),
      "the volume is not on ext4 here and may be on xfs, which is read by its DataNode's leases, or"
          + " when its host was fenced off",
      "start its DataNode; or, if its host is gone, run 'rdio fence HOST' here, as root"),
  METADATA_UNREADABLE(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, USELESS_HERE),
      "the file system's metadata on the device makes no sense, or has errors noted in it",
      "see the detail; if it stays, unmount the volume on its host and run e2fsck"),

  // A write past the DataNode.
  FILE_SMALL(
      policy(BLOCK, NONE, ROUTINE, CLIENT, STANDS),
      "the file was closed before it was large enough for a write past the DataNode to pay",
      "none needed: stock HDFS wrote it"),
  WRITE_UNSUPPORTED(
      policy(BLOCK, NONE, ROUTINE, CLIENT, STANDS),
      "the file is written in a way that only stock HDFS has",
      "none needed; see the detail for which"),
  WRITE_UNPROVEN(
      policy(PLANE, BACK_OFF, NOTEWORTHY, CLIENT, STANDS),
      "nothing proves that who answers on the DataNode's RDIO port is the DataNode, so nothing is"
          + " written by what it says",
      "turn on block tokens, or set {DATANODE_TLS} and {CLIENT_TLS} to on"),
  SLOTS_EXHAUSTED(
      policy(STORAGE, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the volume has no free slot that is large enough, or this address has its share of them",
      "none needed if it is rare; see the detail for what is short"),
  WRITE_UNFENCED(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, DATANODE, STANDS),
      "the DataNode grants writes only where it can fence their host off, and here it cannot",
      "see the detail; the namespace has to take reservations, and the host has to be registered"),
  WRITE_UNBOUNDED(
      policy(STORAGE, BACK_OFF, NOTEWORTHY, CLIENT, STANDS),
      "this host's kernel may send a write to the device later than its place there is left alone",
      "set fast_io_fail_tmo for its controllers (nvme connect --fast_io_fail_tmo=SECONDS;"
          + " docs/nvmeof.md), or a longer {WRITE_IO_TIME_MAX} on the DataNodes; disks of other"
          + " networks than NVMe's are left to stock HDFS"),

  // The read itself.
  BUFFERS_EXHAUSTED(
      policy(READ, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the memory for read buffers, or every read queue, is in use",
      "see the detail for what is short; for memory raise {BUFFER_MEMORY}"),
  LEASE_EXPIRED(
      policy(READ, NONE, NOTEWORTHY, CLIENT, GREW_OLD),
      "the lease, or the right to read the block, ran out or was recalled meanwhile",
      "none needed if it is rare"),
  CHECKSUM_MISMATCH(
      policy(REPLICA, QUARANTINE, NOTEWORTHY, CLIENT, SUSPECT),
      "the bytes on the device do not match their checksum",
      "stock HDFS decides about the replica"),
  CHECKSUM_UNSUPPORTED(
      policy(BLOCK, MOMENT, NOTEWORTHY, DATANODE, STANDS),
      "the block's checksums are not of a kind that RDIO can verify here",
      "see the detail"),
  REPLICA_QUARANTINED(
      policy(BLOCK, NONE, NOTEWORTHY, CLIENT, STANDS),
      "a checksum mismatch was seen here, so stock HDFS reads this block",
      "hdfs fsck"),
  ACCESSOR_CLOSED(
      policy(READ, NONE, NOTEWORTHY, CLIENT, STANDS),
      "the reader was closed during the read",
      "none needed"),
  INTERRUPTED(
      policy(READ, NONE, ROUTINE, CLIENT, STANDS),
      "the reading thread was interrupted while it waited",
      "none needed"),
  INTERNAL_ERROR(
      policy(READ, NONE, ALARMING, DATANODE, STANDS),
      "RDIO failed in a way it should not",
      "report it with the stack trace");

  @SuppressWarnings("ImmutableEnumChecker") // enums only
  private final FallbackPolicy policy;

  private final String text;
  private final String fix;

  /**
   * @param fix may name {@linkplain Setting settings}, each as {@code {CONSTANT}}
   */
  FallbackReason(FallbackPolicy policy, String text, String fix) {
    this.policy = policy;
    this.text = text;
    this.fix = fix;
  }

  private static FallbackPolicy policy(
      FallbackPolicy.Scope scope,
      FallbackPolicy.Memory memory,
      FallbackPolicy.Loudness loudness,
      FallbackPolicy.Speaker speaker,
      FallbackPolicy.MapVerdict mapVerdict) {
    return new FallbackPolicy(scope, memory, loudness, speaker, mapVerdict);
  }

  /** The cause in one clause, for people. */
  public String text() {
    return text;
  }

  /** What an administrator can do about it, with the names of the settings that it speaks of. */
  public String fix() {
    return Setting.fillIn(fix);
  }

  /** What follows from it, for all who decide something by a reason. */
  public FallbackPolicy policy() {
    return policy;
  }

  /**
   * The reason that a DataNode named; {@link #METADATA_PLANE_ERROR} for a name not known here, and
   * for what only a client can find: a DataNode that says so makes no sense, and must not have the
   * client draw its conclusions about devices and replicas.
   */
  public static FallbackReason ofWire(String name) {
    for (FallbackReason reason : values()) {
      if (reason.name().equals(name) && reason.policy.speaker() == DATANODE) {
        return reason;
      }
    }
    return METADATA_PLANE_ERROR;
  }
}
