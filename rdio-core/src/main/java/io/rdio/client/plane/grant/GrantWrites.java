// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.SlotAsk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;

/**
 * The write plane of DataNodes' plugins: finds out where a DataNode serves it, and asks it there,
 * in the session and on the connection by which it is asked for file maps. Thread-safe.
 */
final class GrantWrites implements WritePlane {
  private final EndpointResolver endpoints;
  private final MetadataClient client;
  private final WriteSettings settings;

  /**
   * @param client whose sessions these are; it stays the caller's to close
   */
  GrantWrites(EndpointResolver endpoints, MetadataClient client, WriteSettings settings) {
    this.endpoints = endpoints;
    this.client = client;
    this.settings = settings;
  }

  /** Asks one DataNode. */
  private interface Call<T> {
    T ask(WriteCalls calls) throws FallbackException;
  }

  private <T> T call(DataNodeId target, Call<T> call) throws FallbackException {
    String endpoint = endpoints.endpoint(target);
    try {
      return call.ask(new WriteCalls(client.session(endpoint), client.context(), settings));
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE) {
        endpoints.forget(target);
      }
      throw e;
    }
  }

  @Override
  public WriteSlot allocate(DataNodeId target, byte[] token, SlotAsk ask) throws FallbackException {
    TokenedBlock block = new TokenedBlock(ask.block(), token);
    if (block.token().length == 0 && !settings.trusting()) {
      throw new FallbackException(
          FallbackReason.WRITE_UNPROVEN,
          "no block token for " + ask.block() + " and no TLS with " + target);
    }
    return call(target, calls -> calls.allocate(block, ask));
  }

  @Override
  public List<OptionalLong> renew(DataNodeId target, List<WriteSlot> slots)
      throws FallbackException {
    List<GrantedSlot> granted = slots.stream().map(GrantedSlot::of).toList();
    return call(target, calls -> calls.renew(granted));
  }

  @Override
  public void commit(DataNodeId target, WriteSlot slot, long length, ByteBuffer checksums)
      throws FallbackException {
    call(
        target,
        calls -> {
          calls.commit(GrantedSlot.of(slot), length, checksums);
          return target;
        });
  }

  @Override
  public List<Ended> abort(DataNodeId target, List<Ended> ended) throws FallbackException {
    return call(target, calls -> calls.abort(ended));
  }
}
