// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.client.plane.MapPlane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A metadata plane without a wire: what it answers is said by the test. */
public final class FakePlane implements MapPlane {
  public final List<DataNodeId> holders = new CopyOnWriteArrayList<>();
  public final List<BlockAsk> asks = new CopyOnWriteArrayList<>();
  public final List<FileMap> discarded = new CopyOnWriteArrayList<>();
  public final List<FileMap> released = new CopyOnWriteArrayList<>();
  public volatile long pause = Long.MAX_VALUE;
  public volatile boolean closed;
  public volatile boolean findsUnlisted;
  public volatile boolean hasSilent;
  public final Set<DataNodeId> silent = ConcurrentHashMap.newKeySet();
  public final List<DataNodeId> askedAfter = new CopyOnWriteArrayList<>();

  /** Given out each time that it is tended. */
  public final Semaphore tended = new Semaphore(0);

  private final Function<BlockAsk, @Nullable FileMap> answers;
  private final Set<FileMap> held = new HashSet<>();
  private @Nullable MapListener listener;

  /**
   * @param answers the map of each block that is asked for; null for REPLICA_NOT_FOUND
   */
  public FakePlane(Function<BlockAsk, @Nullable FileMap> answers) {
    this.answers = answers;
  }

  /** Who listens to it. */
  public MapListener listener() {
    return Objects.requireNonNull(listener, "nobody listens");
  }

  @Override
  public void listen(MapListener told) {
    listener = told;
  }

  @Override
  public synchronized List<MapOutcome> maps(DataNodeId holder, List<BlockAsk> wanted) {
    holders.add(holder);
    asks.addAll(wanted);
    return wanted.stream().map(this::answer).toList();
  }

  private MapOutcome answer(BlockAsk ask) {
    FileMap map = answers.apply(ask);
    if (map == null) {
      return MapOutcome.refused(
          new FallbackException(FallbackReason.REPLICA_NOT_FOUND, ask.block().toString()));
    }
    held.add(map);
    return MapOutcome.granted(map);
  }

  @Override
  public boolean findsUnlisted() {
    return findsUnlisted;
  }

  @Override
  public boolean hasSilentDataNodes() {
    return hasSilent;
  }

  @Override
  public boolean mayBeSilent(DataNodeId holder) {
    askedAfter.add(holder);
    return silent.contains(holder);
  }

  @Override
  public synchronized boolean discard(FileMap map) {
    discarded.add(map);
    return held.remove(map);
  }

  @Override
  public synchronized void release(FileMap map) {
    if (held.remove(map)) {
      released.add(map);
    }
  }

  @Override
  public synchronized int held() {
    return held.size();
  }

  @Override
  public long tend() {
    tended.release();
    return pause;
  }

  @Override
  public void close() {
    closed = true;
  }
}
