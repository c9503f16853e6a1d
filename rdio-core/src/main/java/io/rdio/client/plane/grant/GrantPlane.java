// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.client.plane.WritePlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.ChannelFactory;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The metadata plane of grants: DataNodes' plugins say where replicas lie, and each map has a lease
 * for its guard. Finds out where a DataNode serves the plane, and asks it there. Thread-safe.
 */
public final class GrantPlane implements MapPlane {
  private final EndpointResolver endpoints;
  private final MetadataClient client;
  private volatile @Nullable MapListener listener;

  /**
   * @param channels closed together with this plane
   */
  public GrantPlane(
      MetadataClientSettings settings,
      EndpointResolver endpoints,
      ChannelFactory channels,
      MonotonicClock clock,
      ClientCounters counters) {
    this(
        settings,
        endpoints,
        channels,
        clock,
        counters,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * The same, with chance that is given: so that what it does can be done again.
   *
   * @param random numbers from 0 to 1, for any thread
   */
  public GrantPlane(
      MetadataClientSettings settings,
      EndpointResolver endpoints,
      ChannelFactory channels,
      MonotonicClock clock,
      ClientCounters counters,
      DoubleSupplier random) {
    this.endpoints = endpoints;
    this.client = new MetadataClient(settings, channels, clock, counters, new Forwarding(), random);
  }

  /** The write plane of the same DataNodes, in the same sessions; it is closed with this one. */
  public WritePlane writes(WriteSettings settings) {
    return new GrantWrites(endpoints, client, settings);
  }

  @Override
  public void listen(MapListener told) {
    listener = told;
  }

  /**
   * {@inheritDoc} That is about the RPC timeout in all, and as long again if this client did not
   * run meanwhile; finding a port that is not known yet comes on top.
   */
  @Override
  public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
    try {
      return client.grant(endpoints.endpoint(holder), asks);
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE) {
        endpoints.forget(holder);
      }
      throw e;
    }
  }

  /** {@inheritDoc} That is the same as of {@link #maps}. */
  @Override
  public void requireAnswering(DataNodeId holder) throws FallbackException {
    try {
      client.requireAnswering(endpoints.endpoint(holder));
    } catch (FallbackException e) {
      if (e.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE) {
        endpoints.forget(holder);
      }
      throw e;
    }
  }

  @Override
  public boolean discard(FileMap map) {
    return client.discard(map);
  }

  @Override
  public void release(FileMap map) {
    client.release(map);
  }

  @Override
  public int held() {
    return client.leasesHeld();
  }

  @Override
  public long tend() {
    return client.tend();
  }

  @Override
  public void close() {
    client.close();
  }

  /** The client is made before anybody can listen to this plane. */
  private final class Forwarding implements MapListener {
    @Override
    public void lost(FileMap map) {
      MapListener told = listener;
      if (told != null) {
        told.lost(map);
      }
    }

    @Override
    public void ranOut(FileMap map) {
      MapListener told = listener;
      if (told != null) {
        told.ranOut(map);
      }
    }
  }
}
