// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.metadata;

import com.google.protobuf.ByteString;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.grant.GrantResult;
import io.rdio.core.grant.LeaseInfo;
import io.rdio.core.grant.PinnedMap;
import io.rdio.core.grant.VolumeStatus;
import io.rdio.core.metadata.proto.BlockGrant;
import io.rdio.core.metadata.proto.BlockId;
import io.rdio.core.metadata.proto.Extents;
import io.rdio.core.metadata.proto.FileMap;
import io.rdio.core.metadata.proto.Refusal;
import io.rdio.core.metadata.proto.Volume;
import java.nio.ByteBuffer;
import java.util.UUID;

/** The server's words on the wire, and the names of blocks in both directions. */
final class ServerMessages {
  /** How much of a client's id strangers see: with all of it they could take its recalls. */
  private static final int SHOWN_OF_CLIENT_ID = 12;

  private ServerMessages() {}

  static BlockGrant blockGrant(GrantResult result) {
    if (result instanceof GrantResult.Granted granted) {
      return BlockGrant.newBuilder().setFileMap(fileMap(granted)).build();
    }
    GrantResult.Refused refused = (GrantResult.Refused) result;
    return refusal(refused.reason(), refused.detail());
  }

  static BlockGrant refusal(FallbackReason reason, String detail) {
    return BlockGrant.newBuilder()
        .setRefusal(Refusal.newBuilder().setReason(reason.name()).setDetail(detail))
        .build();
  }

  private static FileMap fileMap(GrantResult.Granted granted) {
    PinnedMap map = granted.map();
    return FileMap.newBuilder()
        .setLeaseId(granted.leaseId())
        .setDevice(device(map.device()))
        .setStorageId(map.storageId())
        .setBlockLength(map.blockLength())
        .setMetaLength(map.metaLength())
        .setBlockExtents(extents(map.blockExtents()))
        .setMetaExtents(extents(map.metaExtents()))
        .setChecksumType(map.checksum().type().id())
        .setBytesPerChecksum(map.checksum().bytesPerChecksum())
        .setMetaHeaderLength(map.checksum().headerLength())
        .setWitness(
            io.rdio.core.metadata.proto.Witness.newBuilder()
                .setOffset(map.witness().offset())
                .setNonce(map.witness().nonce())
                .setCount(map.witness().count()))
        .setBlock(blockId(map.block()))
        .build();
  }

  private static Extents extents(ExtentList list) {
    Extents.Builder extents = Extents.newBuilder();
    for (int i = 0; i < list.count(); i++) {
      extents.addPhysical(list.physical(i)).addLength(list.end(i) - list.start(i));
    }
    return extents.build();
  }

  private static io.rdio.core.metadata.proto.DeviceIdentity device(DeviceIdentity device) {
    return io.rdio.core.metadata.proto.DeviceIdentity.newBuilder()
        .setFsType(device.fsType())
        .setFsUuid(bytes(device.fsUuid()))
        .setSizeBytes(device.sizeBytes())
        .setWwid(device.wwid())
        .setPartitionStartBytes(device.partitionStartBytes())
        .setName(device.name())
        .build();
  }

  private static ByteString bytes(UUID uuid) {
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).flip();
    return ByteString.copyFrom(bytes);
  }

  static Volume volume(VolumeStatus status, long deletedBytesCap) {
    Volume.Builder volume =
        Volume.newBuilder()
            .setStorageId(status.storageId())
            .setPath(status.volumeRoot().toString())
            .setPinnedBytes(status.pinnedBytes())
            .setPinnedDeletedBytes(status.pinnedDeletedBytes())
            .setPinnedBytesCap(deletedBytesCap);
    DeviceIdentity device = status.device();
    if (device != null) {
      volume.setDevice(device(device));
    }
    FallbackException refusal = status.refusal();
    if (refusal != null) {
      volume.setRefusal(refusal.reason().name()).setRefusalDetail(refusal.detail());
    }
    return volume.build();
  }

  static io.rdio.core.metadata.proto.LeaseInfo lease(LeaseInfo lease) {
    String clientId = lease.clientId();
    return io.rdio.core.metadata.proto.LeaseInfo.newBuilder()
        .setLeaseId(lease.number())
        .setClientId(clientId.substring(0, Math.min(SHOWN_OF_CLIENT_ID, clientId.length())))
        .setBlock(blockId(lease.block()))
        .setRemainingMillis(lease.remainingMillis())
        .setRecalled(lease.recalled())
        .setPinnedBytes(lease.pinnedBytes())
        .build();
  }

  static BlockId blockId(BlockKey block) {
    return BlockId.newBuilder()
        .setPoolId(block.poolId())
        .setBlockId(block.blockId())
        .setGenerationStamp(block.generationStamp())
        .build();
  }

  static BlockKey block(BlockId block) {
    return new BlockKey(block.getPoolId(), block.getBlockId(), block.getGenerationStamp());
  }
}
