// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.thread.DaemonThreads;
import io.rdio.core.thread.OneAtATime;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which device has the storage of an id, and in which directory. Looks at all devices of the host
 * once, each by itself and for {@value #DEVICE_SECONDS} s at most; again when an id is not found,
 * but not sooner than {@value #RETRY_SECONDS} s later. While ids are asked for it looks again in
 * the background each {@value #REFRESH_SECONDS} s: another device may have come that has a known
 * id. Safe for any number of threads.
 */
final class StorageSearch {
  static final long RETRY_SECONDS = 10;
  static final long REFRESH_SECONDS = 60;
  static final long DEVICE_SECONDS = 10;

  private final LocalVolumes volumes;
  private final StorageOwners owners;
  private final Executor background;
  private final MonotonicClock clock;
  private final DeviceCounters counters;
  private final Duration deviceLimit;
  private final Map<String, LocatedStorage> found = new ConcurrentHashMap<>();
  private final Map<String, LiveVolume> opened = new ConcurrentHashMap<>();

  /** Whoever is in a device, by its key: however often one is searched, one thread hangs in it. */
  private final Map<String, ReentrantLock> scanning = new ConcurrentHashMap<>();

  private final OneAtATime refreshing = new OneAtATime();
  private final ReentrantLock searching = new ReentrantLock();

  // Written under the lock.
  private volatile List<LocatedStorage> all = List.of();
  private volatile List<String> troubles = List.of();
  private volatile boolean mayHaveXfs;
  private volatile @Nullable Long searchedAt;

  /** What one device has. */
  private record Scanned(LiveVolume live, StorageScan.Report report) {}

  StorageSearch(
      LocalVolumes volumes,
      StorageOwners owners,
      Executor background,
      MonotonicClock clock,
      DeviceCounters counters) {
    this(volumes, owners, background, clock, counters, Duration.ofSeconds(DEVICE_SECONDS));
  }

  /**
   * As the other one.
   *
   * @param deviceLimit of a search in each device
   */
  StorageSearch(
      LocalVolumes volumes,
      StorageOwners owners,
      Executor background,
      MonotonicClock clock,
      DeviceCounters counters,
      Duration deviceLimit) {
    this.volumes = volumes;
    this.owners = owners;
    this.background = background;
    this.clock = clock;
    this.counters = counters;
    this.deviceLimit = deviceLimit;
  }

  /**
   * The storage of an id.
   *
   * @throws FallbackException DEVICE_NOT_FOUND with what was found instead, XFS_NEEDS_DATANODE if
   *     xfs was, or a device did not say in time what it has, DEVICE_AMBIGUOUS, INTERRUPTED
   */
  LocatedStorage find(String storageId) throws FallbackException {
    LocatedStorage known = found.get(storageId);
    if (known == null) {
      return search(storageId);
    }
    refreshInTime();
    return known;
  }

  private void refreshInTime() {
    if (isOlderThan(REFRESH_SECONDS)) {
      refreshing.begin(background, this::refresh);
    }
  }

  /**
   * Every storage of this host but those whose id is on several devices, for one of them may be an
   * older copy.
   *
   * @throws FallbackException INTERRUPTED, or why the devices are not known
   */
  List<LocatedStorage> all() throws FallbackException {
    if (searchedAt == null) {
      searchAgain();
    } else {
      refreshInTime();
    }
    List<LocatedStorage> now = all;
    return now.stream()
        .filter(
            each ->
                now.stream().filter(one -> one.storageId().equals(each.storageId())).count() == 1)
        .toList();
  }

  /**
   * Looks at all devices of the host unless that was done a moment ago; whether it was done now.
   *
   * @throws FallbackException as {@link #all}
   */
  boolean searchAgain() throws FallbackException {
    if (!isOlderThan(RETRY_SECONDS)) {
      return false;
    }
    lock();
    try {
      boolean due = isOlderThan(RETRY_SECONDS); // nobody else did it while this one waited
      if (due) {
        searchAll();
      }
      return due;
    } finally {
      searching.unlock();
    }
  }

  /** Why there is no map of a block that no storage of this host has. */
  FallbackException none(BlockKey block) {
    return new FallbackException(
        all.isEmpty() ? noDevice() : FallbackReason.REPLICA_NOT_FOUND,
        "no storage on ext4 devices of this host has "
            + block
            + ": "
            + all.stream().map(LocatedStorage::storageId).toList()
            + troubles);
  }

  /** What is not on ext4 may be on a device that nobody could look into. */
  private FallbackReason noDevice() {
    return mayHaveXfs ? FallbackReason.XFS_NEEDS_DATANODE : FallbackReason.DEVICE_NOT_FOUND;
  }

  private boolean isOlderThan(long seconds) {
    Long at = searchedAt;
    return at == null || clock.nanos() - at > TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Forgets a storage that was found where it is not any more. */
  void forget(LocatedStorage storage) {
    found.remove(storage.storageId(), storage);
  }

  /** Forgets all that was found. */
  void forgetAll() {
    found.clear();
    opened.clear();
    all = List.of();
  }

  private void refresh() {
    try {
      lock();
      try {
        searchAll();
        found.clear(); // who asks for one takes it from what was found now, or is refused
      } finally {
        searching.unlock();
      }
    } catch (FallbackException e) {
      // Whoever asks next for an id that is not known searches, and learns why.
      found.clear();
    }
  }

  private void lock() throws FallbackException {
    try {
      searching.lockInterruptibly(); // whoever has it waits for devices, each for so long at most
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private static FallbackException interrupted() {
    Thread.currentThread().interrupt();
    return new FallbackException(FallbackReason.INTERRUPTED, "looking for a storage");
  }

  private LocatedStorage search(String storageId) throws FallbackException {
    lock();
    try {
      if (isOlderThan(RETRY_SECONDS)) {
        searchAll();
      }
      List<LocatedStorage> matches = matches(storageId);
      if (matches.isEmpty()) {
        throw new FallbackException(
            noDevice(), "no ext4 device of this host has storage " + storageId + troubles);
      }
      if (matches.size() > 1) {
        throw new FallbackException(
            FallbackReason.DEVICE_AMBIGUOUS,
            "storage "
                + storageId
                + " is on "
                + matches.get(0).identity()
                + " and on "
                + matches.get(1).identity());
      }
      found.put(storageId, matches.get(0));
      return matches.get(0);
    } finally {
      searching.unlock();
    }
  }

  private List<LocatedStorage> matches(String storageId) {
    return all.stream().filter(storage -> storage.storageId().equals(storageId)).toList();
  }

  private void searchAll() throws FallbackException {
    Map<String, Callable<Scanned>> scans = new LinkedHashMap<>();
    for (LocalVolumes.Candidate candidate : volumes.list()) {
      scans.put(candidate.key(), () -> scan(candidate));
    }
    opened.keySet().retainAll(scans.keySet());
    scanning.keySet().retainAll(scans.keySet());
    List<LocatedStorage> storages = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    boolean xfs = false;
    List<Future<Scanned>> ended = run(scans.values());
    int i = 0;
    for (String key : scans.keySet()) {
      try {
        Scanned scanned = ended.get(i++).get();
        for (StorageScan.Found each : scanned.report().found()) {
          storages.add(new LocatedStorage(scanned.live(), each.storageId(), each.path(), owners));
        }
        scanned.report().skipped().forEach(skipped -> failed.add(key + ": " + skipped));
      } catch (ExecutionException e) {
        failed.add(key + ": " + text(e.getCause()));
        xfs |= mayBeXfs(e.getCause());
      } catch (CancellationException e) {
        FallbackException late =
            new FallbackException(
                FallbackReason.DEVICE_TIMEOUT, "nothing within " + deviceLimit.toMillis() + " ms");
        failed.add(key + ": " + text(late));
        xfs |= mayBeXfs(late);
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }
    all = storages;
    troubles = failed;
    mayHaveXfs = xfs;
    searchedAt = clock.nanos();
  }

  private static boolean mayBeXfs(@Nullable Throwable cause) {
    return cause instanceof FallbackException refused
        && (refused.reason() == FallbackReason.XFS_NEEDS_DATANODE
            || refused.reason() == FallbackReason.DEVICE_TIMEOUT);
  }

  private static String text(@Nullable Throwable cause) {
    return cause instanceof FallbackException refused
        ? refused.reason() + ", " + refused.detail()
        : String.valueOf(cause);
  }

  /** Runs them side by side: one device that hangs must not keep the others from being found. */
  private List<Future<Scanned>> run(Iterable<Callable<Scanned>> scans) throws FallbackException {
    List<Callable<Scanned>> tasks = new ArrayList<>();
    scans.forEach(tasks::add);
    ExecutorService threads =
        Executors.newCachedThreadPool(new DaemonThreads("rdio-storage-search"));
    try {
      return threads.invokeAll(tasks, deviceLimit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw interrupted();
    } finally {
      threads.shutdown();
    }
  }

  /** One after the other: an earlier search may be in it still, for as long as it hangs. */
  private Scanned scan(LocalVolumes.Candidate candidate) throws FallbackException {
    ReentrantLock lock = scanning.computeIfAbsent(candidate.key(), key -> new ReentrantLock());
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      throw interrupted();
    }
    try {
      return scanNow(candidate);
    } finally {
      lock.unlock();
    }
  }

  private Scanned scanNow(LocalVolumes.Candidate candidate) throws FallbackException {
    LiveVolume live = opened.get(candidate.key());
    if (live == null) {
      LocalVolumes.Opened device = candidate.open();
      live = LiveVolume.open(device.data(), device.metadata(), clock, counters);
      opened.put(candidate.key(), live);
    }
    StorageScan.Report report = StorageScan.all(live, owners, clock);
    if (report.found().isEmpty()) {
      opened.remove(candidate.key(), live); // it is nobody's volume, and keeps no blocks in memory
    }
    return new Scanned(live, report);
  }
}
