// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import com.google.protobuf.ByteString;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.proto.AbortReply;
import io.rdio.core.wire.proto.AllocateRequest;
import io.rdio.core.wire.proto.BlockRequest;
import io.rdio.core.wire.proto.CommitHead;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.Unregistered;
import io.rdio.core.wire.proto.WriteGrant;
import io.rdio.core.write.UnregisteredHostException;
import java.util.List;

/**
 * The write plane's values on the wire, both ways. Nothing is read that breaks a bound of
 * docs/remote-writes.md: what is wrong is said by an {@link IllegalArgumentException}, before
 * anything is made that is larger than the message.
 */
public final class WriteCodec {
  /** Extents of a slot. */
  public static final int EXTENTS_MAX = 64;

  /** Bytes of a block, and of a slot. */
  public static final long BLOCK_BYTES_MAX = 1L << 30;

  /** Bytes of CRCs in one part of a commit. */
  public static final int PART_BYTES_MAX = 1 << 20;

  /** Leases that one request is about. */
  public static final int LEASES_MAX = 1_000;

  /** Bytes that a CRC is made of at least, so that those of a block have 8 MiB at most. */
  public static final int CHUNK_BYTES_MIN = 512;

  /** Bytes that a CRC is made of at most. */
  public static final int CHUNK_BYTES_MAX = 1 << 20;

  /** A day. */
  public static final long LEASE_MILLIS_MAX = 86_400_000;

  /** No device has smaller logical blocks. */
  static final int UNIT_MIN = 512;

  /** No file system has larger blocks. */
  static final int UNIT_MAX = 64 << 10;

  private WriteCodec() {}

  /** What is asked for, without who asks and by what right. */
  public static AllocateRequest.Builder encode(SlotAsk ask) {
    return AllocateRequest.newBuilder()
        .setBlock(BlockRequest.newBuilder().setBlock(BlockIds.encode(ask.block())))
        .setStorageId(ask.storageId())
        .setBytes(ask.bytes())
        .setChecksumType(ask.checksum().id())
        .setBytesPerChecksum(ask.bytesPerChecksum())
        .setHostKey(ask.hostKey());
  }

  /**
   * What a message asks for. Names and stamp of the block are not looked at.
   *
   * @throws IllegalArgumentException if nothing of the kind can be asked for
   */
  public static SlotAsk decode(AllocateRequest request) {
    BlockRequest block = request.getBlock();
    Sane.check(block.getToken().isEmpty(), "bytes of a token, which is never sent,", 1);
    Sane.check(!block.getSpeculative(), "speculative, which no write is,", 1);
    return new SlotAsk(
        BlockIds.decode(block.getBlock()),
        request.getStorageId(),
        request.getBytes(),
        checksum(request.getChecksumType()),
        request.getBytesPerChecksum(),
        request.getHostKey());
  }

  private static ChecksumSpec.Type checksum(int id) {
    for (ChecksumSpec.Type type : ChecksumSpec.Type.values()) {
      if (type.id() == id) {
        return type;
      }
    }
    throw new IllegalArgumentException("checksum type is " + id);
  }

  /** The message for a slot. */
  public static WriteGrant encode(SlotGrant grant) {
    return WriteGrant.newBuilder()
        .setIncarnation(grant.incarnation())
        .setLeaseId(grant.leaseId())
        .setLeaseMillis(grant.leaseMillis())
        .setIoMillis(grant.ioMillis())
        .setBlock(BlockIds.encode(grant.block()))
        .setDevice(DeviceCodec.encode(grant.device()))
        .setStorageId(grant.storageId())
        .setExtents(ExtentCodec.encode(grant.extents()))
        .setSlot(grant.slot())
        .setNonce(grant.nonce())
        .setUnit(grant.unit())
        .setFenced(grant.fenced())
        .build();
  }

  /**
   * The slot in a message.
   *
   * @throws IllegalArgumentException if there can be no such slot
   */
  public static SlotGrant decode(WriteGrant grant) {
    return new SlotGrant(
        grant.getIncarnation(),
        grant.getLeaseId(),
        grant.getLeaseMillis(),
        grant.getIoMillis(),
        BlockIds.decode(grant.getBlock()),
        DeviceCodec.decode(grant.getDevice()),
        grant.getStorageId(),
        extents(grant.getExtents()),
        grant.getSlot(),
        grant.getNonce(),
        grant.getUnit(),
        grant.getFenced());
  }

  /**
   * The message for a device that a host has to be registered with.
   *
   * @param ioMillis {@code I}
   * @param doomedKey as in {@link UnregisteredHostException}
   */
  public static Unregistered encode(DeviceIdentity device, long ioMillis, long doomedKey) {
    return Unregistered.newBuilder()
        .setDevice(DeviceCodec.encode(device))
        .setIoMillis(ioMillis)
        .setDoomedKey(doomedKey)
        .build();
  }

  /**
   * What a message says of a host that is not registered.
   *
   * @param detail of the refusal that it came with
   * @throws IllegalArgumentException if there can be no such device, or no such time
   */
  public static UnregisteredHostException decode(Unregistered message, String detail) {
    long ioMillis = message.getIoMillis();
    Sane.check(ioMillis >= 1 && ioMillis <= LEASE_MILLIS_MAX, "milliseconds of a write", ioMillis);
    return new UnregisteredHostException(
        DeviceCodec.decode(message.getDevice()), ioMillis, message.getDoomedKey(), detail);
  }

  private static ExtentList extents(Extents extents) {
    int count = Math.max(extents.getPhysicalCount(), extents.getLengthCount());
    Sane.check(count <= EXTENTS_MAX, "number of extents", count);
    return ExtentList.of(
        extents.getPhysicalList().stream().mapToLong(Long::longValue).toArray(),
        extents.getLengthList().stream().mapToLong(Long::longValue).toArray());
  }

  /** What is to be committed, without who asks and by what right. */
  public static CommitHead.Builder encode(CommitAsk ask) {
    return CommitHead.newBuilder()
        .setIncarnation(ask.incarnation())
        .setLeaseId(ask.leaseId())
        .setBlock(BlockIds.encode(ask.block()))
        .setLength(ask.length());
  }

  /**
   * What a message wants to have committed. Names and stamp of the block are not looked at.
   *
   * @throws IllegalArgumentException if nothing of the kind can be committed
   */
  public static CommitAsk decode(CommitHead head) {
    return new CommitAsk(
        head.getIncarnation(),
        head.getLeaseId(),
        BlockIds.decode(head.getBlock()),
        head.getLength());
  }

  /**
   * Checks one part of a commit's CRCs.
   *
   * @throws IllegalArgumentException if it is empty, too large, or ends within a CRC
   */
  public static void requirePart(ByteString checksums) {
    int size = checksums.size();
    Sane.check(
        size >= 1 && size <= PART_BYTES_MAX && size % ChecksumSpec.CRC_BYTES == 0,
        "bytes of a part of CRCs",
        size);
  }

  /**
   * Checks what a request about leases names.
   *
   * @throws IllegalArgumentException if these are more than {@link #LEASES_MAX}
   */
  public static void requireLeases(int count) {
    Sane.check(count <= LEASES_MAX, "number of leases", count);
  }

  /**
   * Checks what a request to abort says of each of its leases.
   *
   * @throws IllegalArgumentException if it is too much, or too little
   */
  public static void requireAborts(int leases, int ends) {
    requireLeases(leases);
    Sane.check(ends == leases, "number of words on " + leases + " leases", ends);
  }

  /**
   * Which leases a request to abort came too late for.
   *
   * @param leases of the request
   * @return their places in it, each once
   * @throws IllegalArgumentException if one is named that was not in the request
   */
  public static List<Integer> late(AbortReply reply, int leases) {
    for (int place : reply.getLateList()) {
      Sane.check(place >= 0 && place < leases, "place among " + leases + " leases", place);
    }
    return reply.getLateList().stream().distinct().toList();
  }

  /** Bytes of the CRCs of a block. */
  public static long crcBytes(long length, int bytesPerChecksum) {
    long chunks = (length + bytesPerChecksum - 1) / bytesPerChecksum;
    return chunks * ChecksumSpec.CRC_BYTES;
  }
}
