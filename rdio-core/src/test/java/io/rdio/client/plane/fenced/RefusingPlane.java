// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import java.util.List;

/** A plane that has nothing, or of whose DataNodes none answers. */
final class RefusingPlane implements MapPlane {
  volatile FallbackReason reason;
  volatile boolean closed;

  RefusingPlane(FallbackReason reason) {
    this.reason = reason;
  }

  @Override
  public void listen(MapListener listener) {}

  @Override
  public List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> asks) throws FallbackException {
    if (reason == FallbackReason.METADATA_PLANE_UNREACHABLE) {
      throw new FallbackException(reason, holder.toString());
    }
    return asks.stream()
        .map(ask -> MapOutcome.refused(new FallbackException(reason, "by the device")))
        .toList();
  }

  @Override
  public boolean discard(FileMap map) {
    throw new AssertionError("it gave none");
  }

  @Override
  public void release(FileMap map) {
    throw new AssertionError("it gave none");
  }

  @Override
  public int held() {
    return 0;
  }

  @Override
  public long tend() {
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {
    closed = true;
  }
}
