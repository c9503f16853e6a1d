// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.ProtocolRange;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.datanode.allocate.SlotStatus;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the DataNode says of itself. Thread-safe. */
final class ServerGreeting {
  private final GrantService grants;
  private final @Nullable WriteRoom room;
  private final ProtocolRange versions;

  /**
   * @param room null where nothing can be written
   */
  ServerGreeting(GrantService grants, @Nullable WriteRoom room, ProtocolRange versions) {
    this.grants = grants;
    this.room = room;
    this.versions = versions;
  }

  HelloReply answer(HelloRequest request) {
    HelloReply.Builder reply =
        HelloReply.newBuilder()
            .setProtocolVersion(versionFor(ProtocolRange.of(request)))
            .setProtocolVersionMin(versions.min())
            .setProtocolVersionMax(versions.max())
            .setIncarnation(grants.incarnation())
            .setDatanodeUuid(grants.dataNodeUuid())
            .setLeaseMillis(grants.config().leaseMillis())
            .setMaxIoMillis(grants.config().maxIoMillis())
            .setWriteIoMillis(room == null ? 0 : room.ioMillis())
            .setFailures(grants.counters().failures())
            .setLastFailure(grants.counters().lastFailure());
    long cap = grants.config().pinnedDeletedBytesPerVolume();
    @Nullable List<SlotStatus> slots = room == null ? null : room.volumes();
    grants.volumes().forEach(volume -> reply.addVolumes(ServerMessages.volume(volume, cap, slots)));
    return reply.build();
  }

  private int versionFor(ProtocolRange client) {
    return versions
        .highestCommon(client)
        .orElse(client.max() < versions.min() ? versions.min() : versions.max());
  }
}
