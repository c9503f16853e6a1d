// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import com.github.benmanes.caffeine.cache.Interner;
import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.FileMap;
import io.rdio.core.block.MapOrigin;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.lease.Lease;
import io.rdio.core.metadata.proto.Extents;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Turns a DataNode's answer into file maps and believes nothing of it: whatever does not add up is
 * refused with METADATA_PLANE_ERROR. Thread-safe.
 */
final class GrantDecoder {
  private static final long MAX_DEVICE_BYTES = 1L << 60;
  private static final int UUID_BYTES = 16;
  private static final int SECTOR_BYTES = 512;
  private static final int MAX_NAME_LENGTH = 1024;

  /** No file system has smaller blocks. */
  private static final int MIN_EXTENT_BYTES = 512;

  private final String endpoint;
  private final boolean nullChecksums;

  // What maps have in common is there once.
  private final Interner<MapOrigin> origins = Interner.newWeakInterner();
  private final Interner<String> pools = Interner.newWeakInterner();

  /**
   * @param nullChecksums whether a DataNode that has not proved who it is may say that a block has
   *     no checksums
   */
  GrantDecoder(String endpoint, boolean nullChecksums) {
    this.endpoint = endpoint;
    this.nullChecksums = nullChecksums;
  }

  /**
   * The file map in an answer about a block.
   *
   * @param lease that the map is to carry
   * @throws FallbackException METADATA_PLANE_ERROR or CHECKSUM_UNSUPPORTED
   */
  FileMap decode(BlockKey block, GrantExchange.Answer answer, Lease lease)
      throws FallbackException {
    io.rdio.core.metadata.proto.FileMap map = answer.map();
    if (!ServerMessages.block(map.getBlock()).equals(block)) {
      throw garbage(block, "a map of " + ServerMessages.block(map.getBlock()));
    }
    DeviceIdentity device = device(block, map.getDevice());
    long blockLength = map.getBlockLength();
    long metaLength = map.getMetaLength();
    check(
        block, blockLength >= 0 && blockLength <= device.sizeBytes(), "block length", blockLength);
    check(block, metaLength >= 0 && metaLength <= device.sizeBytes(), "meta length", metaLength);
    ChecksumSpec checksum = checksum(block, map, answer.authentic() || nullChecksums);
    check(block, metaLength >= checksum.metaLength(blockLength), "meta length", metaLength);
    ExtentList blockExtents = extents(block, map.getBlockExtents(), blockLength, device);
    ExtentList metaExtents = extents(block, map.getMetaExtents(), metaLength, device);
    check(block, map.getStorageId().length() <= MAX_NAME_LENGTH, "storage id", -1);
    Witness witness = witness(block, map.getWitness(), device);
    MapOrigin origin =
        new MapOrigin(
            endpoint,
            answer.incarnation(),
            map.getStorageId(),
            device,
            witness.offset(),
            witness.nonce(),
            checksum);
    return new FileMap(
        new BlockKey(pools.intern(block.poolId()), block.blockId(), block.generationStamp()),
        origins.intern(origin),
        witness.count(),
        blockLength,
        blockExtents,
        metaExtents,
        lease);
  }

  /**
   * Stock HDFS too takes a DataNode's word that a block has no checksums, but it asks the DataNode
   * that the NameNode named, on a port that it vouched for. Whoever took the RDIO port must not be
   * able to switch the verifying off.
   */
  private ChecksumSpec checksum(
      BlockKey block, io.rdio.core.metadata.proto.FileMap map, boolean mayBeNull)
      throws FallbackException {
    ChecksumSpec.Type type = ChecksumSpec.Type.of(map.getChecksumType());
    if (type == ChecksumSpec.Type.NULL && !mayBeNull) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          block
              + " has no checksums, says "
              + endpoint
              + ", which has not proved that it is the DataNode. To believe it set"
              + " dfs.checksum.type to NULL here, or use block tokens or TLS");
    }
    int chunk = map.getBytesPerChecksum();
    check(block, chunk >= 1, "bytes per checksum", chunk);
    int header = map.getMetaHeaderLength();
    check(block, header >= 0, "meta header length", header);
    return new ChecksumSpec(type, chunk, header);
  }

  private ExtentList extents(BlockKey block, Extents extents, long covers, DeviceIdentity device)
      throws FallbackException {
    int count = extents.getPhysicalCount();
    check(block, count <= covers / MIN_EXTENT_BYTES + 1, "number of extents", count);
    long[] physical = new long[extents.getPhysicalCount()];
    long[] length = new long[extents.getLengthCount()];
    for (int i = 0; i < physical.length; i++) {
      physical[i] = extents.getPhysical(i);
    }
    for (int i = 0; i < length.length; i++) {
      length[i] = extents.getLength(i);
    }
    try {
      ExtentList list = ExtentList.of(physical, length);
      check(block, list.length() >= covers, "bytes covered by extents", list.length());
      check(block, !list.overlaps(), "number of extents, some of which overlap,", list.count());
      check(block, list.physicalEnd() <= device.sizeBytes(), "end of extents", list.physicalEnd());
      return list;
    } catch (IllegalArgumentException e) {
      throw new FallbackException(
          FallbackReason.METADATA_PLANE_ERROR, block + " on " + endpoint + ": " + e.getMessage());
    }
  }

  private DeviceIdentity device(BlockKey block, io.rdio.core.metadata.proto.DeviceIdentity device)
      throws FallbackException {
    ByteString uuid = device.getFsUuid();
    check(block, uuid.size() == UUID_BYTES, "bytes of the file system's UUID", uuid.size());
    long size = device.getSizeBytes();
    check(block, size > 0 && size <= MAX_DEVICE_BYTES, "device size", size);
    long start = device.getPartitionStartBytes();
    check(block, start >= 0 && start <= MAX_DEVICE_BYTES, "partition start", start);
    int names = device.getFsType().length() + device.getWwid().length() + device.getName().length();
    check(block, names <= MAX_NAME_LENGTH, "length of the device's names", names);
    ByteBuffer bytes = uuid.asReadOnlyByteBuffer();
    return new DeviceIdentity(
        device.getFsType(),
        new UUID(bytes.getLong(), bytes.getLong()),
        size,
        device.getWwid(),
        start,
        device.getName());
  }

  private Witness witness(
      BlockKey block, io.rdio.core.metadata.proto.Witness witness, DeviceIdentity device)
      throws FallbackException {
    long offset = witness.getOffset();
    boolean inside = offset >= 0 && offset <= device.sizeBytes() - Witness.BYTES;
    check(block, inside && offset % SECTOR_BYTES == 0, "offset of the witness", offset);
    check(block, witness.getCount() >= 1, "count of the witness", witness.getCount());
    return new Witness(offset, witness.getNonce(), witness.getCount());
  }

  private void check(BlockKey block, boolean sane, String what, long value)
      throws FallbackException {
    if (!sane) {
      throw garbage(block, what + " is " + value);
    }
  }

  private FallbackException garbage(BlockKey block, String what) {
    return PlaneErrors.garbage(endpoint, what + " for " + block);
  }
}
