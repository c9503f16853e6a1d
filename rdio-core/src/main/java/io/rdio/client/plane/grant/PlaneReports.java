// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.GrantedLease;
import io.rdio.client.plane.PlaneGreeting;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.wire.BlockIds;
import io.rdio.core.wire.DeviceCodec;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.LeaseInfo;
import io.rdio.core.wire.proto.Volume;

/** What DataNodes tell people, taken off the wire. */
final class PlaneReports {
  private PlaneReports() {}

  static PlaneGreeting greeting(HelloReply reply) {
    return new PlaneGreeting(
        reply.getProtocolVersion(),
        reply.getIncarnation(),
        reply.getLeaseMillis(),
        reply.getVolumesList().stream().map(PlaneReports::volume).toList(),
        reply.getFailures(),
        reply.getLastFailure());
  }

  private static PlaneGreeting.Volume volume(Volume volume) {
    String path = volume.getPath();
    if (!volume.getRefusal().isEmpty()) {
      FallbackReason reason = FallbackReason.ofWire(volume.getRefusal());
      return refused(path, reason, volume.getRefusalDetail());
    }
    try {
      DeviceIdentity device = DeviceCodec.decode(volume.getDevice());
      return new PlaneGreeting.Volume(path, device, null);
    } catch (IllegalArgumentException e) {
      return refused(path, FallbackReason.METADATA_PLANE_ERROR, String.valueOf(e.getMessage()));
    }
  }

  private static PlaneGreeting.Volume refused(String path, FallbackReason reason, String detail) {
    return new PlaneGreeting.Volume(path, null, new FallbackException(reason, detail));
  }

  static GrantedLease lease(LeaseInfo lease) {
    return new GrantedLease(
        BlockIds.decode(lease.getBlock()),
        lease.getClientId(),
        lease.getRemainingMillis(),
        lease.getRecalled(),
        lease.getPinnedBytes());
  }
}
