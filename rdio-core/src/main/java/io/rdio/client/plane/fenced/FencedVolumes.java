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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of this host that are fenced, each copied when somebody looks for a storage that is
 * on none of those before, one after the other, but not sooner than {@value #RETRY_SECONDS} s
 * behind the last time; one that could not be copied, which may take minutes, not sooner than that
 * took, and behind the others. Whoever waits for that waits for a bounded time; it goes on, and
 * each copy serves as soon as it is made. Thread-safe.
 */
public final class FencedVolumes implements AutoCloseable {
  static final long RETRY_SECONDS = 10;

  /** For a copy; who waits longer is refused. */
  static final Duration PATIENCE_MAX = Duration.ofSeconds(20);

  private static final long LONGEST_SECONDS = 300;

  /** Where copies are: not in memory, for those of large volumes have gigabytes. */
  private static final Path COPIES = Path.of("/var/lib/rdio/xfs");

  private final FencedVolume.Means means;
  private final Executor background;
  private final MonotonicClock clock;
  private final Duration patience;

  // Written under the lock of this.
  private volatile List<FencedVolume> volumes = List.of();
  private volatile boolean closed;

  // Written by one search at a time.
  private volatile String troubles = "";
  private final Map<Path, Failure> failures = new HashMap<>();

  // Under the lock of this.
  private @Nullable FutureTask<Boolean> search;
  private long searchedAt;

  /**
   * A device that was not copied.
   *
   * @param waitNanos that it is left alone from then on
   */
  private record Failure(String why, long at, long waitNanos) {}

  /**
   * @param patience how long whoever asks waits for copies
   */
  FencedVolumes(
      FencedVolume.Means means, Executor background, MonotonicClock clock, Duration patience) {
    this.means = means;
    this.background = background;
    this.clock = clock;
    this.patience = patience;
  }

  /**
   * Those of this host, which nothing is asked of yet.
   *
   * @param forProcesses whether it is an agent that asks, for its processes
   */
  public static FencedVolumes ofHost(
      StorageOwners owners, Duration readTimeout, boolean forProcesses, MonotonicClock clock) {
    FencedDevices fences =
        new HostFencedDevices(new HostNamespaces(), new FenceRecords(FenceRecords.DEFAULT));
    HostDevices devices = new HostDevices(Map.of(), readTimeout);
    return new FencedVolumes(
        new FencedVolume.Means(
            new FenceLooks(fences, readTimeout),
            new XfsCopies(COPIES, clock),
            devices::open,
            owners),
        FencedVolumes::begin,
        clock,
        patience(readTimeout, forProcesses));
  }

  /**
   * How long a copy is waited for. A process gives an agent up, with all that it reads by it, that
   * has not answered within the timeout of a read: so an agent refuses well before that, for there
   * are DataNodes and NameNodes to be waited for, too.
   */
  static Duration patience(Duration readTimeout, boolean forProcesses) {
    Duration half = readTimeout.dividedBy(2);
    boolean isShort = forProcesses && !half.isZero() && half.compareTo(PATIENCE_MAX) < 0;
    return isShort ? half : PATIENCE_MAX;
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

  /** Has each looked at, side by side; nobody waits for it. */
  void look(Runnable then) {
    volumes.forEach(volume -> volume.look(background, then));
  }

  /** Why what was looked for is on none of them, for people. */
  String troubles() {
    return troubles;
  }

  /**
   * Looks for fenced devices, and copies those that are new, unless that was done a moment ago.
   *
   * @throws FallbackException XFS_NEEDS_DATANODE where it goes on, INTERRUPTED
   */
  void searchAgain() throws FallbackException {
    FutureTask<Boolean> task = begun();
    if (task == null) {
      return;
    }
    try {
      task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
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
      task = new FutureTask<>(this::search, true);
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

  private void search() {
    try {
      // First of all, or whatever fails below would be tried on every ask.
      keep(volume -> !volume.isLost());
      List<Path> nodes = means.fences().recorded();
      keep(volume -> nodes.contains(volume.node()));
      failures.keySet().retainAll(nodes);
      nodes.stream()
          .sorted(Comparator.comparing(failures::containsKey)) // what failed keeps no other waiting
          .forEach(this::copy);
      troubles = troubles(nodes);
    } catch (IOException e) {
      troubles = "it is not known what this host has fenced: " + e.getMessage();
    } finally {
      synchronized (this) {
        searchedAt = clock.nanos();
      }
    }
  }

  private String troubles(List<Path> nodes) {
    if (nodes.isEmpty()) {
      return "this host has fenced no other one off a device that is here; fix: 'rdio fence"
          + " HOST' with the DataNode's host, here, as root";
    }
    List<String> skipped = volumes.stream().flatMap(each -> each.skipped().stream()).toList();
    return "of fenced devices "
        + nodes.stream().map(failures::get).filter(Objects::nonNull).map(Failure::why).toList()
        + " were not copied"
        + (skipped.isEmpty() ? "" : ", and of those that were, not read: " + skipped);
  }

  private void copy(Path node) {
    Failure failure = failures.get(node);
    boolean early = failure != null && clock.nanos() - failure.at() < failure.waitNanos();
    if (closed || early || volumes.stream().anyMatch(each -> each.node().equals(node))) {
      return;
    }
    long began = clock.nanos();
    try {
      add(FencedVolume.open(node, means));
      failures.remove(node);
    } catch (IOException e) {
      fail(node, began, e.getMessage());
    } catch (FallbackException e) {
      fail(node, began, e.reason() + ", " + e.detail());
    } catch (RuntimeException e) {
      fail(node, began, e.toString());
    }
  }

  private void fail(Path node, long began, @Nullable String why) {
    long now = clock.nanos();
    // At most, for the clock may jump.
    long took = Math.min(now - began, TimeUnit.SECONDS.toNanos(LONGEST_SECONDS));
    long waitNanos = Math.max(TimeUnit.SECONDS.toNanos(RETRY_SECONDS), took);
    failures.put(node, new Failure(node + ": " + why, now, waitNanos));
  }

  private void add(FencedVolume made) {
    synchronized (this) {
      if (!closed) {
        volumes = Stream.concat(volumes.stream(), Stream.of(made)).toList();
        return;
      }
    }
    made.close();
  }

  private void keep(Predicate<FencedVolume> wanted) {
    List<FencedVolume> gone;
    synchronized (this) {
      gone = volumes.stream().filter(wanted.negate()).toList();
      volumes = volumes.stream().filter(each -> !gone.contains(each)).toList();
    }
    gone.forEach(FencedVolume::close);
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

  /** Removes the copies; one that is being made, when it is made. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    keep(volume -> false);
  }
}
