// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.DEVICE_TIMEOUT;
import static io.rdio.core.FallbackReason.INTERRUPTED;
import static io.rdio.core.FallbackReason.NATIVE_LIBRARY_UNAVAILABLE;

import io.rdio.core.FallbackException;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The devices of this host by identity. A resolved device is kept with its descriptor open; each
 * {@link #resolve} asks the kernel with one ioctl (about a microsecond) whether the medium behind
 * it is still the verified one, and else searches and verifies anew. A search that failed is not
 * repeated for {@link #RETRY_AFTER}, for it opens every device that may be the one. A witness is
 * looked for on the device once for each grant that brings a new one.
 *
 * <p>{@link #forget} and {@link #close} take nothing from readers: a device that somebody still
 * holds stays readable, and its descriptor is closed by the garbage collector's grace.
 */
public final class LocalDeviceDirectory implements DeviceDirectory {
  /** How long a failed search is answered from memory. */
  static final Duration RETRY_AFTER = Duration.ofSeconds(10);

  /** How long a verified superblock is believed where the kernel cannot tell media apart. */
  static final Duration REVERIFY_AFTER = Duration.ofSeconds(1);

  private final Map<UUID, Path> named;
  private final LocalDevices devices;
  private final MonotonicClock clock;
  private final DeviceLooks looks;
  private final ConcurrentHashMap<DeviceIdentity, Entry> entries = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<DeviceIdentity, ReentrantLock> searches =
      new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * @param named node to use for a file-system UUID, where a search would not find it or find more
   *     than one; verified all the same
   * @param timeout how long a device that is opened and probed is waited for; zero for as long as
   *     it takes
   */
  public LocalDeviceDirectory(Map<UUID, Path> named, Duration timeout) {
    this(named, new LocalDevices(Path.of("/sys"), Path.of("/dev")), new BootTimeClock(), timeout);
  }

  LocalDeviceDirectory(Map<UUID, Path> named, LocalDevices devices, MonotonicClock clock) {
    this(named, devices, clock, Duration.ZERO);
  }

  LocalDeviceDirectory(
      Map<UUID, Path> named, LocalDevices devices, MonotonicClock clock, Duration timeout) {
    this.looks = new DeviceLooks(timeout);
    this.named = Map.copyOf(named);
    this.devices = devices;
    this.clock = clock;
  }

  @Override
  public BlockDevice resolve(WitnessedDevice wanted, long count) throws FallbackException {
    DeviceIdentity identity = wanted.device();
    Entry entry = entry(identity);
    try {
      return entry.witnessed(wanted, count, looks);
    } catch (FallbackException e) {
      if (entry.hasDevice() && e.reason() != DEVICE_TIMEOUT && e.reason() != INTERRUPTED) {
        // It did not show the witness; perhaps the node stands for another device by the next time.
        entries.remove(identity, entry);
      }
      throw e;
    }
  }

  @Override
  public BlockDevice resolve(DeviceIdentity identity) throws FallbackException {
    return entry(identity).deviceOrThrow();
  }

  @Override
  public DevicePlace place(DeviceIdentity identity) throws FallbackException {
    return entry(identity).deviceOrThrow().place();
  }

  /**
   * What a node stands for, or a regular file, opened read-only with O_DIRECT and not verified: to
   * see how fast it is, not to read blocks from.
   *
   * @throws FallbackException DEVICE_PERMISSION, DEVICE_NOT_FOUND, DEVICE_IO_ERROR, DEVICE_TIMEOUT,
   *     INTERRUPTED or NATIVE_LIBRARY_UNAVAILABLE
   */
  public BlockDevice open(Path node) throws FallbackException {
    requireNativeLibrary();
    return looks.look(node.toString(), () -> devices.open(node));
  }

  private Entry entry(DeviceIdentity identity) throws FallbackException {
    Entry entry = entries.get(identity);
    if (entry != null && entry.isCurrent(clock.nanos())) {
      return entry;
    }
    // One search for an identity at a time; others are not held up.
    ReentrantLock search = searches.computeIfAbsent(identity, id -> new ReentrantLock());
    try {
      search.lockInterruptibly(); // whoever has it waits for devices, each with a deadline
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(INTERRUPTED, "waiting for the search for " + identity);
    }
    try {
      entry = entries.get(identity);
      if (entry == null || !entry.isCurrent(clock.nanos())) {
        entry = search(identity);
        entries.put(identity, entry);
      }
      return entry;
    } finally {
      search.unlock();
    }
  }

  private Entry search(DeviceIdentity identity) throws FallbackException {
    try {
      if (closed) {
        throw new FallbackException(DEVICE_NOT_FOUND, "the device directory was closed");
      }
      requireNativeLibrary();
      Path node = named.get(identity.fsUuid());
      DirectBlockDevice device =
          node != null
              ? looks.look(node.toString(), () -> devices.openNamed(node, identity))
              : new DeviceSearch(devices, looks, identity).run();
      // The medium may have changed since it was verified, but not since its number was asked.
      long sequence = device.diskSequence();
      looks.look(device.name(), () -> verified(device, identity));
      return new Entry(device, sequence, null, clock.nanos());
    } catch (FallbackException e) {
      if (e.reason() == INTERRUPTED) {
        throw e; // which says nothing of the device
      }
      return new Entry(null, 0, e, clock.nanos());
    }
  }

  private static DirectBlockDevice verified(DirectBlockDevice device, DeviceIdentity identity)
      throws FallbackException {
    DeviceProbe.verify(device, identity);
    return device;
  }

  @Override
  public List<String> lookAlikes(DeviceIdentity identity) {
    try {
      requireNativeLibrary();
      return new DeviceSearch(devices, looks, identity).lookAlikes();
    } catch (FallbackException e) {
      return List.of(e.reason() + ": " + e.detail());
    }
  }

  @Override
  public void forget(DeviceIdentity identity) {
    entries.remove(identity);
  }

  @Override
  public List<Candidate> candidates() {
    List<Candidate> candidates = new ArrayList<>();
    try {
      for (SysfsBlockDevice device : devices.list()) {
        if (device.sizeBytes() > 0 && !device.hidden()) {
          candidates.add(
              new Candidate(
                  device.node(devices.devfs()).toString(), device.sizeBytes(), describe(device)));
        }
      }
    } catch (FallbackException e) {
      candidates.add(new Candidate(devices.sysfs().toString(), 0, e.detail()));
    }
    return candidates;
  }

  private String describe(SysfsBlockDevice device) {
    Optional<String> unusable = LocalDevices.whyUnusable(device);
    if (unusable.isPresent()) {
      return unusable.get();
    }
    try {
      requireNativeLibrary();
      String content =
          looks
              .look(device.name(), () -> devices.look(device))
              .map(DeviceProbe::describe)
              .orElse("no ext4 or xfs");
      return content + (device.wwid().isEmpty() ? "" : ", wwid " + device.wwid());
    } catch (FallbackException e) {
      return e.reason() + ": " + e.detail();
    }
  }

  @Override
  public void close() {
    closed = true;
    entries.clear();
  }

  private static void requireNativeLibrary() throws FallbackException {
    NativeAvailability availability = NativeLibrary.availability();
    if (!availability.isAvailable()) {
      throw new FallbackException(
          NATIVE_LIBRARY_UNAVAILABLE, availability.detail(), availability.cause());
    }
  }

  /** A verified device with the witnesses that it showed, or the refusal a search ended with. */
  private static final class Entry {
    /** One for each storage directory on the device: few, and most often one. */
    private static final int WITNESSES_MAX = 8;

    private final @Nullable DirectBlockDevice device;
    private final long sequence;
    private final @Nullable FallbackException refusal;
    private final long atNanos;
    private volatile List<Witness> shown = List.of();

    Entry(
        @Nullable DirectBlockDevice device,
        long sequence,
        @Nullable FallbackException refusal,
        long atNanos) {
      this.device = device;
      this.sequence = sequence;
      this.refusal = refusal;
      this.atNanos = atNanos;
    }

    boolean isCurrent(long now) {
      if (device == null) {
        return now - atNanos < RETRY_AFTER.toNanos();
      }
      return sequence >= 0
          ? device.diskSequence() == sequence
          : now - atNanos < REVERIFY_AFTER.toNanos();
    }

    /** False for a search that failed. */
    boolean hasDevice() {
      return device != null;
    }

    DirectBlockDevice deviceOrThrow() throws FallbackException {
      if (device != null) {
        device.requireAnswering();
        return device;
      }
      throw refusal != null
          ? refusal
          : new FallbackException(DEVICE_NOT_FOUND, "no device was searched for");
    }

    BlockDevice witnessed(WitnessedDevice wanted, long count, DeviceLooks looks)
        throws FallbackException {
      DirectBlockDevice verified = deviceOrThrow();
      if (!wasShown(wanted, count)) {
        Witness witness = wanted.witness(count);
        looks.look(verified.name(), () -> shown(verified, witness));
        note(witness);
      }
      return verified;
    }

    private static DirectBlockDevice shown(DirectBlockDevice device, Witness witness)
        throws FallbackException {
      DeviceProbe.requireWitness(device, witness);
      return device;
    }

    // An index, for an iterator would be an allocation in each read.
    private boolean wasShown(WitnessedDevice wanted, long count) {
      List<Witness> seen = shown;
      for (int i = 0; i < seen.size(); i++) {
        if (seen.get(i).covers(wanted, count)) {
          return true;
        }
      }
      return false;
    }

    private synchronized void note(Witness witness) {
      List<Witness> all = new ArrayList<>(shown);
      all.removeIf(witness::covers);
      if (all.size() == WITNESSES_MAX) {
        all.remove(0);
      }
      all.add(witness);
      shown = List.copyOf(all);
    }
  }
}
