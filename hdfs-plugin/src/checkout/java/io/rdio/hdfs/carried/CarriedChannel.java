// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;

/** A channel without a connection. What is under way on it when it is shut down goes on. */
final class CarriedChannel extends ManagedChannel {
  private final String endpoint;
  private final Carrier carrier;
  private volatile boolean shut;

  CarriedChannel(String endpoint, Carrier carrier) {
    this.endpoint = endpoint;
    this.carrier = carrier;
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    return new CarriedCall<>(endpoint, method, carrier);
  }

  @Override
  public String authority() {
    return endpoint;
  }

  @Override
  public ManagedChannel shutdown() {
    shut = true;
    return this;
  }

  @Override
  public ManagedChannel shutdownNow() {
    return shutdown();
  }

  @Override
  public boolean isShutdown() {
    return shut;
  }

  @Override
  public boolean isTerminated() {
    return shut;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shut;
  }
}
