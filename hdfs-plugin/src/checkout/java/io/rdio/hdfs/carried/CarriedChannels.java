// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.carried;

import io.grpc.ManagedChannel;
import io.rdio.core.wire.ChannelFactory;

/** A client's channels, by which a carrier gets the calls. */
public final class CarriedChannels implements ChannelFactory {
  private final Carrier carrier;

  public CarriedChannels(Carrier carrier) {
    this.carrier = carrier;
  }

  @Override
  public ManagedChannel open(String endpoint) {
    return new CarriedChannel(endpoint, carrier);
  }

  @Override
  public void close() {}
}
