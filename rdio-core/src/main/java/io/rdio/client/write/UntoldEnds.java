// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.core.FallbackException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots that are not wanted any more and whose DataNodes are still to be told. Each is told once: a
 * lease of which its DataNode does not hear runs out by itself. Thread-safe.
 */
final class UntoldEnds {
  private static final Logger LOG = LoggerFactory.getLogger(UntoldEnds.class);

  private final WritePlane plane;
  private final Consumer<Ended> lost;

  @GuardedBy("this")
  private final Map<DataNodeId, List<Ended>> untold = new LinkedHashMap<>();

  /** What one DataNode is told at once. */
  private record Told(DataNodeId target, List<Ended> ended) {}

  /**
   * @param lost gets what a DataNode could not be told of, or not in time
   */
  UntoldEnds(WritePlane plane, Consumer<Ended> lost) {
    this.plane = plane;
    this.lost = lost;
  }

  synchronized void add(DataNodeId target, Ended ended) {
    untold.computeIfAbsent(target, node -> new ArrayList<>()).add(ended);
  }

  /**
   * Tells the DataNode whose turn it is, if there is one.
   *
   * @return whether there was
   */
  boolean tellNext() {
    Told next = poll();
    if (next == null) {
      return false;
    }
    try {
      plane.abort(next.target(), next.ended()).forEach(lost);
    } catch (FallbackException e) {
      LOG.debug(
          "RDIO: {} is not told of {} slots that are not wanted: their leases run out",
          next.target(),
          next.ended().size(),
          e);
      next.ended().forEach(lost);
    }
    return true;
  }

  private synchronized @Nullable Told poll() {
    Iterator<Map.Entry<DataNodeId, List<Ended>>> entries = untold.entrySet().iterator();
    if (!entries.hasNext()) {
      return null;
    }
    Map.Entry<DataNodeId, List<Ended>> next = entries.next();
    Told told = new Told(next.getKey(), next.getValue());
    entries.remove();
    return told;
  }
}
