// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.grpc.ManagedChannel;

/** Makes gRPC channels. Thread-safe. */
public interface ChannelFactory extends AutoCloseable {
  /**
   * A channel that connects when it is first used.
   *
   * @param endpoint host:port, an IPv6 host in brackets
   * @throws IllegalArgumentException if it is none
   */
  ManagedChannel open(String endpoint);

  /** Frees what channels share; they are shut down already. Does not wait. */
  @Override
  void close();
}
