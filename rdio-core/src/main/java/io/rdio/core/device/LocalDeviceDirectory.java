// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static io.rdio.core.FallbackReason.DEVICE_NOT_FOUND;
import static io.rdio.core.FallbackReason.NATIVE_LIBRARY_UNAVAILABLE;

import io.rdio.core.FallbackException;
import io.rdio.core.lease.BootTimeClock;
import io.rdio.core.lease.LeaseClock;
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
import org.jspecify.annotations.Nullable;

/**
 * The devices of this host by identity. A resolved device is kept with its descriptor open; each
 * {@link #resolve} asks the kernel with one ioctl (about a microsecond) whether the medium behind
 * it is still the verified one, and else searches and verifies anew. A search that failed is not
 * repeated for {@link #RETRY_AFTER}, for it opens every device. A witness is looked for on the
 * device once for each grant that brings a new one.
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
  private final LeaseClock clock;
  private final ConcurrentHashMap<DeviceIdentity, Entry> entries = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * @param named node to use for a file-system UUID, where a search would not find it or find more
   *     than one; verified all the same
   */
  public LocalDeviceDirectory(Map<UUID, Path> named) {
    this(named, new LocalDevices(Path.of("/sys"), Path.of("/dev")), new BootTimeClock());
  }

  LocalDeviceDirectory(Map<UUID, Path> named, LocalDevices devices, LeaseClock clock) {
    this.named = Map.copyOf(named);
    this.devices = devices;
    this.clock = clock;
  }

  @Override
  public BlockDevice resolve(MappedDevice mapped) throws FallbackException {
    DeviceIdentity identity = mapped.device();
    Entry entry = entry(identity);
    try {
      return entry.witnessed(mapped);
    } catch (FallbackException e) {
      // Perhaps the node stands for another device by the next time.
      entries.remove(identity, entry);
      throw e;
    }
  }

  @Override
  public BlockDevice resolve(DeviceIdentity identity) throws FallbackException {
    return entry(identity).deviceOrThrow();
  }

  private Entry entry(DeviceIdentity identity) {
    Entry entry = entries.get(identity);
    if (entry == null || !entry.isCurrent(clock.nanos())) {
      // One search for an identity at a time; others are not held up.
      entry =
          entries.compute(
              identity,
              (id, old) -> old != null && old.isCurrent(clock.nanos()) ? old : search(id));
    }
    return entry;
  }

  private Entry search(DeviceIdentity identity) {
    try {
      if (closed) {
        throw new FallbackException(DEVICE_NOT_FOUND, "the device directory was closed");
      }
      requireNativeLibrary();
      Path node = named.get(identity.fsUuid());
      DirectBlockDevice device =
          node != null
              ? devices.openNamed(node, identity)
              : new DeviceSearch(devices, identity).run();
      // The medium may have changed since it was verified, but not since its number was asked.
      long sequence = device.diskSequence();
      DeviceProbe.verify(device, identity);
      return new Entry(device, sequence, null, clock.nanos());
    } catch (FallbackException e) {
      return new Entry(null, 0, e, clock.nanos());
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
      String content = devices.look(device).map(DeviceProbe::describe).orElse("no ext4 or xfs");
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

    DirectBlockDevice deviceOrThrow() throws FallbackException {
      if (device != null) {
        return device;
      }
      throw refusal != null
          ? refusal
          : new FallbackException(DEVICE_NOT_FOUND, "no device was searched for");
    }

    BlockDevice witnessed(MappedDevice mapped) throws FallbackException {
      DirectBlockDevice verified = deviceOrThrow();
      if (!wasShown(mapped)) {
        Witness witness = mapped.witness();
        DeviceProbe.requireWitness(verified, witness);
        note(witness);
      }
      return verified;
    }

    // An index, for an iterator would be an allocation in each read.
    private boolean wasShown(MappedDevice mapped) {
      List<Witness> seen = shown;
      for (int i = 0; i < seen.size(); i++) {
        if (seen.get(i).covers(mapped)) {
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
