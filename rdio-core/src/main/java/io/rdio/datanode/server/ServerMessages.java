// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.DeviceCodec;
import io.rdio.core.wire.ExtentCodec;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.FileMap;
import io.rdio.core.wire.proto.Refusal;
import io.rdio.core.wire.proto.Volume;
import io.rdio.datanode.allocate.SlotStatus;
import io.rdio.datanode.allocate.WriteLeaseInfo;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.LeaseInfo;
import io.rdio.datanode.grant.PinnedMap;
import io.rdio.datanode.grant.VolumeStatus;
import io.rdio.datanode.volume.FenceStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the server answers, as messages. */
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
        .setDevice(DeviceCodec.encode(map.device()))
        .setStorageId(map.storageId())
        .setBlockLength(map.blockLength())
        .setMetaLength(map.metaLength())
        .setBlockExtents(ExtentCodec.encode(map.blockExtents()))
        .setMetaExtents(ExtentCodec.encode(map.metaExtents()))
        .setChecksumType(map.checksum().type().id())
        .setBytesPerChecksum(map.checksum().bytesPerChecksum())
        .setMetaHeaderLength(map.checksum().headerLength())
        .setWitness(DeviceCodec.encode(map.witness()))
        .setBlock(BlockIds.encode(map.block()))
        .build();
  }

  /**
   * @param slots of all volumes; null where nothing can be written
   */
  static Volume volume(
      VolumeStatus status, long deletedBytesCap, @Nullable List<SlotStatus> slots) {
    Volume.Builder volume =
        Volume.newBuilder()
            .setStorageId(status.storageId())
            .setPath(status.volumeRoot().toString())
            .setPinnedBytes(status.pinnedBytes())
            .setPinnedDeletedBytes(status.pinnedDeletedBytes())
            .setPinnedBytesCap(deletedBytesCap);
    DeviceIdentity device = status.device();
    if (device != null) {
      volume.setDevice(DeviceCodec.encode(device));
    }
    FallbackException refusal = status.refusal();
    if (refusal != null) {
      volume.setRefusal(refusal.reason().name()).setRefusalDetail(refusal.detail());
    }
    FenceStatus fence = status.fence();
    if (fence != null) {
      volume.setFenced(fence.held()).setFenceDetail(fence.detail());
    }
    if (slots == null) {
      refuseWrites(volume, FallbackReason.WRITE_UNSUPPORTED, "writes are off on this DataNode");
    } else {
      addSlots(volume, slots);
    }
    return volume.build();
  }

  private static void addSlots(Volume.Builder volume, List<SlotStatus> slots) {
    for (SlotStatus status : slots) {
      if (status.storageId().equals(volume.getStorageId())) {
        FallbackException refusal = status.refusal();
        if (refusal != null) {
          refuseWrites(volume, refusal.reason(), refusal.detail());
        }
        volume.setFreeSlots(status.free());
        return;
      }
    }
    refuseWrites(volume, FallbackReason.DATANODE_NOT_READY, "its slots were not looked at yet");
  }

  private static void refuseWrites(Volume.Builder volume, FallbackReason reason, String detail) {
    volume.setWriteRefusal(reason.name()).setWriteRefusalDetail(detail);
  }

  static io.rdio.core.wire.proto.LeaseInfo lease(LeaseInfo lease) {
    return io.rdio.core.wire.proto.LeaseInfo.newBuilder()
        .setLeaseId(lease.number())
        .setClientId(shown(lease.clientId()))
        .setBlock(BlockIds.encode(lease.block()))
        .setRemainingMillis(lease.remainingMillis())
        .setRecalled(lease.recalled())
        .setPinnedBytes(lease.pinnedBytes())
        .build();
  }

  static io.rdio.core.wire.proto.LeaseInfo lease(WriteLeaseInfo lease) {
    return io.rdio.core.wire.proto.LeaseInfo.newBuilder()
        .setLeaseId(lease.number())
        .setClientId(shown(lease.holder().clientId()))
        .setBlock(BlockIds.encode(lease.block()))
        .setRemainingMillis(lease.remainingMillis())
        .setPinnedBytes(lease.slotBytes())
        .setWrite(true)
        .build();
  }

  private static String shown(String clientId) {
    return clientId.substring(0, Math.min(SHOWN_OF_CLIENT_ID, clientId.length()));
  }
}
