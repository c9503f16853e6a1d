// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.HostDevices;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.HostFencedDevices;
import io.rdio.core.fence.HostNamespaces;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of this host that are fenced, each copied when somebody looks for a storage that is
 * on none of those before, one after the other, but not sooner than {@value #RETRY_SECONDS} s
 * behind the last time. Whoever waits for that waits {@value #WAIT_SECONDS} s at most; it goes on.
 * Thread-safe.
 */
public final class FencedVolumes implements AutoCloseable {
  static final long RETRY_SECONDS = 10;
  static final long WAIT_SECONDS = 20;

  /** Where copies are: not in memory, for those of large volumes have gigabytes. */
  private static final Path COPIES = Path.of("/var/lib/rdio/xfs");

  private final FencedVolume.Means means;
  private final Executor background;
  private final MonotonicClock clock;

  // Written by one search at a time.
  private volatile List<FencedVolume> volumes = List.of();
  private volatile String troubles = "";

  // Under the lock of this.
  private @Nullable FutureTask<Boolean> search;
  private long searchedAt;
  private boolean closed;

  FencedVolumes(FencedVolume.Means means, Executor background, MonotonicClock clock) {
    this.means = means;
    this.background = background;
    this.clock = clock;
  }

  /** Those of this host, which nothing is asked of yet. */
  public static FencedVolumes ofHost(
      StorageOwners owners, Duration readTimeout, MonotonicClock clock) {
    return of(
        new HostFencedDevices(new HostNamespaces(), new FenceRecords(FenceRecords.DEFAULT)),
        owners,
        readTimeout,
        clock);
  }

  /**
   * As {@link #ofHost}, of the devices that somebody else says are fenced.
   *
   * @param fences that are believed
   */
  static FencedVolumes of(
      FencedDevices fences, StorageOwners owners, Duration readTimeout, MonotonicClock clock) {
    HostDevices devices = new HostDevices(Map.of(), readTimeout);
    return new FencedVolumes(
        new FencedVolume.Means(fences, new XfsCopies(COPIES, clock), devices::open, owners),
        FencedVolumes::begin,
        clock);
  }

  private static void begin(Runnable work) {
    DaemonThreads.daemon("rdio-fenced-volumes", work).start();
  }

  /** A storage of a volume. */
  record Storage(FencedVolume volume, CopiedStorages.Found found) {}

  /** Those that are known, of volumes that stand as far as is known. */
  List<Storage> known() {
    List<Storage> all = new ArrayList<>();
    for (FencedVolume volume : volumes) {
      if (!volume.isLost()) {
        volume.storages().forEach(found -> all.add(new Storage(volume, found)));
      }
    }
    return all;
  }

  /** Volumes that are copied now. */
  List<FencedVolume> volumes() {
    return volumes;
  }

  /** Why what was looked for is on none of them, for people. */
  String troubles() {
    return troubles;
  }

  /**
   * Looks for fenced devices, and copies those that are new, unless that was done a moment ago.
   *
   * @return whether it was done now
   * @throws FallbackException XFS_NEEDS_DATANODE where it goes on, INTERRUPTED
   */
  boolean searchAgain() throws FallbackException {
    FutureTask<Boolean> task = begun();
    if (task == null) {
      return false;
    }
    try {
      return task.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "copying metadata of fenced volumes");
    } catch (TimeoutException e) {
      throw new FallbackException(
          FallbackReason.XFS_NEEDS_DATANODE,
          "metadata of fenced volumes is being copied; fix: try it again in a moment",
          e);
    } catch (ExecutionException | CancellationException e) {
      throw new FallbackException(
          FallbackReason.XFS_NEEDS_DATANODE, "fenced volumes cannot be looked for: " + e, e);
    }
  }

  private @Nullable FutureTask<Boolean> begun() {
    FutureTask<Boolean> task;
    synchronized (this) {
      FutureTask<Boolean> last = search;
      if (last != null && !last.isDone()) {
        return last;
      }
      boolean early =
          last != null
              && !hasLost()
              && clock.nanos() - searchedAt < TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
      if (closed || early) {
        return null;
      }
      task = new FutureTask<>(this::search);
      search = task;
    }
    boolean begun = false;
    try {
      background.execute(task);
      begun = true;
    } finally {
      if (!begun) {
        task.cancel(false); // the next one begins another
      }
    }
    return task;
  }

  private boolean search() {
    try {
      List<FencedVolume> found = new ArrayList<>();
      String why = search(found);
      List<FencedVolume> gone = new ArrayList<>(volumes);
      gone.removeAll(found);
      volumes = List.copyOf(found);
      troubles = why;
      gone.forEach(FencedVolume::close);
      return true;
    } finally {
      boolean late;
      synchronized (this) {
        searchedAt = clock.nanos();
        late = closed;
      }
      if (late) {
        closeAll();
      }
    }
  }

  private String search(List<FencedVolume> found) {
    Map<Path, FencedVolume> before = new HashMap<>();
    volumes.stream()
        .filter(volume -> !volume.isLost())
        .forEach(volume -> before.put(volume.node(), volume));
    try {
      List<Path> nodes = means.fences().recorded();
      if (nodes.isEmpty()) {
        return "this host has fenced no other one off a device that is here; fix: 'rdio fence"
            + " HOST' with the DataNode's host, here, as root";
      }
      List<String> refusals = new ArrayList<>();
      for (Path node : nodes) {
        FencedVolume known = before.get(node);
        if (known != null) {
          found.add(known);
        } else {
          open(node, found, refusals);
        }
      }
      return "of fenced devices " + refusals + " were not copied";
    } catch (IOException e) {
      return "it is not known what this host has fenced: " + e.getMessage();
    }
  }

  private void open(Path node, List<FencedVolume> found, List<String> refusals) {
    try {
      found.add(FencedVolume.open(node, means));
    } catch (IOException e) {
      refusals.add(node + ": " + e.getMessage());
    } catch (FallbackException e) {
      refusals.add(node + ": " + e.reason() + ", " + e.detail());
    }
  }

  /** Has volumes removed that do not stand any more, and copied anew if they do again. */
  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
  void removeLost() {
    if (hasLost()) {
      begun();
    }
  }

  private boolean hasLost() {
    return volumes.stream().anyMatch(FencedVolume::isLost);
  }

  /** Removes the copies. */
  @Override
  public void close() {
    boolean searching;
    synchronized (this) {
      closed = true;
      searching = search != null && !search.isDone();
    }
    if (!searching) {
      closeAll(); // else the search does
    }
  }

  private void closeAll() {
    volumes.forEach(FencedVolume::close);
    volumes = List.of();
  }
}
