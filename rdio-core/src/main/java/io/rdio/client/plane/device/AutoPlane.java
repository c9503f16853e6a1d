// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;

/**
 * The plane of grants while the DataNode answers, and the device where it does not. What a DataNode
 * refuses is refused: the device is asked only where nobody is there to say no, or the NameNode
 * names nobody. Thread-safe.
 */
public final class AutoPlane implements MapPlane {
  private final MapPlane grants;
  private final MapPlane device;
  private final SilentDataNodes silent;

  /**
   * Both planes are closed together with this one.
   *
   * @param device a {@link DevicePlane}, by whose maps it tells the two apart
   */
  public AutoPlane(MapPlane grants, MapPlane device, MonotonicClock clock) {
    this.grants = grants;
    this.device = device;
    this.silent = new SilentDataNodes(clock);
  }

  @Override
  public void listen(MapListener listener) {
    grants.listen(listener);
    device.listen(listener);
  }

  @Override
  public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
    if (holder.equals(DataNodeId.NOBODY)) {
      return unlisted(asks);
    }
    try {
      List<MapOutcome> answer = grants.maps(holder, asks);
      silent.answered(holder);
      return answer;
    } catch (FallbackException e) {
      if (!isSilence(e)) {
        throw e;
      }
      silent.wasSilent(holder);
      return byDevice(holder, asks, e);
    }
  }

  private List<MapOutcome> unlisted(List<BlockAsk> asks) throws FallbackException {
    List<MapOutcome> outcomes = device.maps(DataNodeId.NOBODY, asks);
    if (outcomes.get(0).map() != null) { // it is on a DataNode that is away
      silent.wasSilent(DataNodeId.NOBODY);
    }
    return outcomes;
  }

  @Override
  public boolean hasSilentDataNodes() {
    return silent.areThere();
  }

  /** One that answers badly is there, and stock HDFS may go to it. */
  @Override
  public boolean mayBeSilent(DataNodeId holder) {
    if (holder.equals(DataNodeId.NOBODY)) {
      return true;
    }
    try {
      grants.requireAnswering(holder);
      silent.answered(holder);
      return false;
    } catch (FallbackException e) {
      boolean isSilent = isSilence(e);
      if (isSilent) {
        silent.wasSilent(holder);
      }
      return isSilent;
    }
  }

  @Override
  public boolean findsUnlisted() {
    return device.findsUnlisted();
  }

  /**
   * Whether nobody is there. A back-off has its cause, which need not be a call of this plane: a
   * renewal fails first where leases are held.
   */
  private static boolean isSilence(FallbackException failure) {
    FallbackException why =
        failure.reason() == FallbackReason.METADATA_PLANE_BACKOFF
                && failure.getCause() instanceof FallbackException cause
            ? cause
            : failure;
    return why.reason() == FallbackReason.METADATA_PLANE_UNREACHABLE;
  }

  private List<MapOutcome> byDevice(
      DataNodeId holder, List<BlockAsk> asks, FallbackException silence) throws FallbackException {
    List<MapOutcome> outcomes = new ArrayList<>(asks.size());
    for (MapOutcome outcome : device.maps(holder, asks)) {
      FallbackException refusal = outcome.refusal();
      outcomes.add(
          refusal == null
              ? outcome
              : MapOutcome.refused(
                  new FallbackException(
                      refusal.reason(),
                      refusal.detail() + "; the device was asked because of " + silence.detail(),
                      refusal)));
    }
    return outcomes;
  }

  private MapPlane planeOf(FileMap map) {
    return map.origin() instanceof DeviceOrigin ? device : grants;
  }

  @Override
  public boolean discard(FileMap map) {
    return planeOf(map).discard(map);
  }

  @Override
  public void release(FileMap map) {
    planeOf(map).release(map);
  }

  @Override
  public int held() {
    return grants.held() + device.held();
  }

  @Override
  public long tend() {
    return Math.min(grants.tend(), device.tend());
  }

  @Override
  public void close() {
    grants.close();
    device.close();
  }
}
