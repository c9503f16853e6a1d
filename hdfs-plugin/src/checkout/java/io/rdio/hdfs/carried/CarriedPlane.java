// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.server.MetadataServerLimits;
import io.rdio.datanode.server.UnservedPlane;
import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The metadata plane of a DataNode, with its bounds, of which calls are served that a carrier
 * brings. For one thread at a time.
 */
public final class CarriedPlane {
  private final ServerServiceDefinition service;

  /**
   * @param grantThreads make the grants, when they like
   * @param clock monotonic, in nanoseconds
   */
  public CarriedPlane(
      GrantService grants, MetadataServerLimits limits, Executor grantThreads, LongSupplier clock) {
    this.service = UnservedPlane.of(grants, limits, grantThreads, clock);
  }

  /**
   * Serves a call.
   *
   * @param client where it comes from
   * @param method with its service's name
   * @throws NullPointerException if there is no such method
   */
  public Carrier.Call serve(
      InetAddress client, String method, byte[] request, Carrier.Answers answers) {
    ServerMethodDefinition<?, ?> served = Objects.requireNonNull(service.getMethod(method), method);
    return begin(served, client, request, answers);
  }

  private static <Q, A> Carrier.Call begin(
      ServerMethodDefinition<Q, A> method,
      InetAddress client,
      byte[] request,
      Carrier.Answers answers) {
    ServedCall<Q, A> call = new ServedCall<>(method.getMethodDescriptor(), client, answers);
    call.serve(method.getServerCallHandler(), request);
    return call;
  }
}
