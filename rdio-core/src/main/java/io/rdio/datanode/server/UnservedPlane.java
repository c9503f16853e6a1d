// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.rdio.core.wire.ProtocolRange;
import io.rdio.datanode.grant.GrantService;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A DataNode's metadata plane without a port: its calls with the bounds that {@link MetadataServer}
 * puts on them, for whoever carries them himself. There are no connections, and so no bounds on
 * these.
 */
public final class UnservedPlane {
  private UnservedPlane() {}

  /**
   * The calls.
   *
   * @param grantThreads make the grants; in a DataNode they are eight
   * @param clock monotonic, in nanoseconds: by it who finds no room is told when to come again
   */
  public static ServerServiceDefinition of(
      GrantService grants, MetadataServerLimits limits, Executor grantThreads, LongSupplier clock) {
    MetadataPlaneService service =
        new MetadataPlaneService(
            grants,
            null,
            new ServerSessions(grants),
            grantThreads,
            Runnable::run,
            new ServerRecallStreams(grants, limits.recallStreams()),
            ProtocolRange.SUPPORTED);
    return ServerInterceptors.interceptForward(
        ServerGarbageCheck.guard(service),
        new ServerCallLimit(limits, false),
        new ServerGrantLimit(
            MetadataServerLimits.GRANTS_PER_ADDRESS, limits.grantsWaiting(), clock));
  }
}
