// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.filemap.FileMapSource;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives maps out in their order: each until it is rejected or its lease is lost, none behind the
 * last one.
 */
public final class FakeMaps implements FileMapSource {
  private final MonotonicClock clock;
  private final List<FileMap> maps = new ArrayList<>();
  private volatile Load load = Load.DONE;
  private volatile int begun;
  private volatile boolean keepsAll;
  private volatile boolean hasSilent;
  private volatile boolean mayBeSilent;
  private volatile int askedAfter;
  private volatile @Nullable FileMap following;
  private final List<FallbackReason> rejections = new ArrayList<>();
  private int requests;
  private int lookups;

  public FakeMaps(MonotonicClock clock) {
    this.clock = clock;
  }

  public synchronized FakeMaps then(FileMap map) {
    maps.add(map);
    return this;
  }

  /** Reasons of all rejections so far. */
  public synchronized List<FallbackReason> rejections() {
    return List.copyOf(rejections);
  }

  @Override
  public synchronized void requested(BlockKey block) {
    requests++;
  }

  /** What readers counted as a request for a map so far. */
  public synchronized int requests() {
    return requests;
  }

  /** How often a map was looked up so far. */
  public synchronized int lookups() {
    return lookups;
  }

  /** Gives a map out no more, as where it made room for others: its guard does not know. */
  public synchronized void evict(FileMap map) {
    maps.remove(map);
    map.dropCrcs();
  }

  @Override
  public synchronized FileMap get(BlockRequest request) throws FallbackException {
    lookups++;
    maps.removeIf(map -> !map.guard().admits(clock.nanos()));
    if (maps.isEmpty()) {
      throw new FallbackException(FallbackReason.METADATA_PLANE_UNREACHABLE, "no more maps");
    }
    return maps.get(0);
  }

  /** From now on also those behind the first may be read by. */
  public void keepAll() {
    keepsAll = true;
  }

  @Override
  public int replicas() {
    return keepsAll ? 3 : 1;
  }

  @Override
  public synchronized int others(BlockRequest request, FileMap than, @Nullable FileMap[] to) {
    int count = 0;
    for (FileMap map : maps) {
      boolean wanted = keepsAll && map != than && map.guard().admits(clock.nanos());
      if (wanted && count < to.length) {
        to[count++] = map;
      }
    }
    return count;
  }

  /** What loads in the background look like from now on. */
  public void loadsAre(Load loading) {
    load = loading;
  }

  /** The map of the block that follows each of them from now on. */
  public void followedBy(FileMap map) {
    following = map;
  }

  @Override
  public @Nullable FileMap following(BlockRequest request) {
    return following;
  }

  @Override
  public boolean holds(BlockKey block) {
    return load.isDone();
  }

  /** From now on a DataNode is silent. */
  public void dataNodeIsSilent() {
    hasSilent = true;
  }

  @Override
  public boolean hasSilentDataNodes() {
    return hasSilent;
  }

  /** From now on the block's DataNode does not answer, which nobody knows yet. */
  public void dataNodeDoesNotAnswer() {
    mayBeSilent = true;
  }

  @Override
  public synchronized boolean mayBeSilent(BlockRequest request) {
    askedAfter++;
    return mayBeSilent;
  }

  /** How often somebody wanted to know whether it answers. */
  public int askedAfter() {
    return askedAfter;
  }

  /** How many loads were begun in the background. */
  public int begun() {
    return begun;
  }

  @Override
  public synchronized Load begin(BlockRequest request) {
    begun++;
    return load;
  }

  @Override
  public synchronized void reject(FileMap map, FallbackReason reason) {
    if (map.guard() instanceof Lease lease) {
      lease.end();
    }
    rejections.add(reason);
  }

  @Override
  public void keepCrcs(FileMap map, int page, int pages, ByteBuffer from, int at, int length) {
    map.keepCrcs(page, pages, from, at, length);
  }
}
