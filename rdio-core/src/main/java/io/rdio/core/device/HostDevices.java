// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Every device of this host that may be somebody's volume, to be opened by who looks for something
 * on all of them. Safe for any number of threads.
 */
public final class HostDevices {
  private static final Path SYSFS = Path.of("/sys");
  private static final Path DEVFS = Path.of("/dev");

  private final LocalDevices devices = new LocalDevices(SYSFS, DEVFS);
  private final Map<UUID, Path> named;
  private final Duration timeout;

  /**
   * Those that may owe an answer, by their keys: so a device that hangs costs one thread, however
   * often it is opened.
   */
  private final Map<String, DeviceLooks> looked = new ConcurrentHashMap<>();

  /**
   * @param named nodes that people named for file systems: such as are not found otherwise
   * @param timeout of each read that is no reader's; zero for none
   */
  public HostDevices(Map<UUID, Path> named, Duration timeout) {
    this.named = Map.copyOf(named);
    this.timeout = timeout;
  }

  /** How to open a device. */
  @FunctionalInterface
  interface Opening {
    BlockDevice open() throws FallbackException;
  }

  /** A device of this host. */
  public final class Listed {
    private final String key;
    private final Opening opening;

    private Listed(String key, Opening opening) {
      this.key = key;
      this.opening = opening;
    }

    /** Node, size and number of the medium. */
    public String key() {
      return key;
    }

    /** Opens it, for reading; see {@link Opened}. */
    public Opened open() throws FallbackException {
      return HostDevices.this.open(key, opening);
    }
  }

  /**
   * Opens the device that a node stands for, for reading.
   *
   * @throws FallbackException why it cannot be opened
   */
  public Opened open(Path node) throws FallbackException {
    return open(node.toString(), () -> devices.open(node));
  }

  /**
   * Opens a device, whatever it is.
   *
   * @throws FallbackException DEVICE_TIMEOUT also if what was opened by this key before still owes
   *     an answer
   */
  Opened open(String key, Opening opening) throws FallbackException {
    DeviceLooks looks = looked.computeIfAbsent(key, any -> new DeviceLooks(timeout));
    BlockDevice device = looks.look(key, opening::open);
    return new Opened(device, new PatientDevice(key, device, looks, timeout));
  }

  /**
   * Two ways to one device.
   *
   * @param data itself
   * @param metadata the same, but a read that takes too long is given up: DEVICE_TIMEOUT
   */
  public record Opened(BlockDevice data, BlockDevice metadata) {}

  /**
   * All of them, those that were named first.
   *
   * @throws FallbackException DEVICE_NOT_FOUND if they cannot be listed, NATIVE_LIBRARY_UNAVAILABLE
   */
  public List<Listed> list() throws FallbackException {
    NativeAvailability library = NativeLibrary.availability();
    if (!library.isAvailable()) {
      throw new FallbackException(
          FallbackReason.NATIVE_LIBRARY_UNAVAILABLE, library.detail(), library.cause());
    }
    looked.values().removeIf(looks -> !looks.isOwed());
    List<Listed> listed = new ArrayList<>();
    Set<Path> known = new HashSet<>();
    for (Path node : named.values()) {
      known.add(real(node));
      listed.add(new Listed(node + " as it was named", () -> devices.open(node)));
    }
    for (SysfsBlockDevice device : devices.list()) {
      boolean usable = LocalDevices.whyUnusable(device).isEmpty();
      if (usable && !known.contains(real(device.node(DEVFS)))) {
        listed.add(new Listed(key(device), () -> devices.open(device, 0, 0)));
      }
    }
    return listed;
  }

  private static String key(SysfsBlockDevice device) {
    String medium = "";
    try {
      Path file = SYSFS.resolve("class/block").resolve(device.disk()).resolve("diskseq");
      medium = Files.readString(file).trim();
    } catch (IOException e) {
      medium = "?"; // the kernel is older than 5.15, or the device is gone
    }
    return device.node(DEVFS) + " (" + device.sizeBytes() + " bytes, medium " + medium + ")";
  }

  private static Path real(Path node) {
    try {
      return node.toRealPath();
    } catch (IOException e) {
      return node; // opening it says why
    }
  }

  /** Reads on other threads, and gives a read up that takes too long. */
  private static final class PatientDevice implements BlockDevice {
    /** Fewer than a device's looks have threads: more readers wait for their turn. */
    private static final int READS_MAX = DeviceLooks.THREADS_MAX / 2;

    private final String key;
    private final BlockDevice device;
    private final DeviceLooks looks;
    private final Duration timeout;
    private final Semaphore turns = new Semaphore(READS_MAX);

    PatientDevice(String key, BlockDevice device, DeviceLooks looks, Duration timeout) {
      this.key = key;
      this.device = device;
      this.looks = looks;
      this.timeout = timeout;
    }

    @Override
    public String name() {
      return device.name();
    }

    @Override
    public int alignment() {
      return device.alignment();
    }

    @Override
    public long sizeBytes() {
      return device.sizeBytes();
    }

    @Override
    public void requireAnswering() throws FallbackException {
      device.requireAnswering();
    }

    /** {@inheritDoc} After a failure the buffer may be written to still. */
    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      takeTurn();
      try {
        looks.look(
            key,
            () -> {
              device.read(offset, target);
              return target;
            });
      } finally {
        turns.release();
      }
    }

    private void takeTurn() throws FallbackException {
      try {
        if (timeout.isZero()) {
          turns.acquire();
        } else if (!turns.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
          throw new FallbackException(
              FallbackReason.DEVICE_TIMEOUT,
              READS_MAX + " reads of metadata of " + device.name() + " are under way already");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new FallbackException(FallbackReason.INTERRUPTED, "reading " + device.name());
      }
    }
  }
}
