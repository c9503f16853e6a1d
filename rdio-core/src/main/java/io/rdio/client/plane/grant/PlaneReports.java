// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.DeviceCodec;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.LeaseInfo;
import io.rdio.core.wire.proto.Volume;
import org.jspecify.annotations.Nullable;

/** What DataNodes tell people, taken off the wire. */
final class PlaneReports {
  private PlaneReports() {}

  static PlaneGreeting greeting(HelloReply reply) {
    return new PlaneGreeting(
        reply.getProtocolVersion(),
        reply.getIncarnation(),
        reply.getLeaseMillis(),
        reply.getWriteIoMillis(),
        reply.getVolumesList().stream().map(volume -> volume(reply, volume)).toList(),
        reply.getFailures(),
        reply.getLastFailure());
  }

  private static PlaneGreeting.Volume volume(HelloReply reply, Volume volume) {
    DeviceIdentity device = null;
    FallbackException refusal = null;
    if (volume.getRefusal().isEmpty()) {
      try {
        device = DeviceCodec.decode(volume.getDevice());
      } catch (IllegalArgumentException e) {
        String detail = String.valueOf(e.getMessage());
        refusal = new FallbackException(FallbackReason.METADATA_PLANE_ERROR, detail);
      }
    } else {
      FallbackReason reason = FallbackReason.ofWire(volume.getRefusal());
      refusal = new FallbackException(reason, volume.getRefusalDetail());
    }
    return new PlaneGreeting.Volume(
        volume.getPath(),
        device,
        refusal,
        volume.getFreeSlots(),
        writeRefusal(reply, volume),
        volume.getFenceDetail().isEmpty()
            ? null
            : new PlaneGreeting.Fence(volume.getFenced(), volume.getFenceDetail()));
  }

  private static @Nullable FallbackException writeRefusal(HelloReply reply, Volume volume) {
    if (reply.getProtocolVersion() < ProtocolVersion.WRITES) {
      return new FallbackException(
          FallbackReason.WRITE_UNSUPPORTED,
          "version "
              + reply.getProtocolVersion()
              + " of the protocol is spoken; writes need version "
              + ProtocolVersion.WRITES);
    }
    String name = volume.getWriteRefusal();
    if (name.isEmpty()) {
      return null;
    }
    // The one that only clients say elsewhere: nothing is concluded from it but what people read.
    FallbackReason reason =
        name.equals(FallbackReason.WRITE_UNSUPPORTED.name())
            ? FallbackReason.WRITE_UNSUPPORTED
            : FallbackReason.ofWire(name);
    return new FallbackException(reason, volume.getWriteRefusalDetail());
  }

  static GrantedLease lease(LeaseInfo lease) {
    return new GrantedLease(
        BlockIds.decode(lease.getBlock()),
        lease.getClientId(),
        lease.getRemainingMillis(),
        lease.getRecalled(),
        lease.getPinnedBytes(),
        lease.getWrite());
  }
}
