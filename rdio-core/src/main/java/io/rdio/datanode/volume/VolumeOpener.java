// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one storage directory into use: nothing is touched while its fence is not done, the pins of
 * earlier incarnations are taken over before anything is granted there, the device is identified,
 * the witness begins anew, and the mount record is written. May be tried again after it failed; for
 * one thread at a time.
 */
public final class VolumeOpener implements VolumeAccess.Opener {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeOpener.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Storage storage;
  private final PinDirectory directory;
  private final Leftovers leftovers;
  private final VolumeIdentifier identifier;
  private final ExtentMapper mapper;
  private final MonotonicClock clock;
  private final MountRecordFile record = new MountRecordFile(Path.of("/proc/fs/ext4"));
  private final Set<Path> takenOver = new HashSet<>();

  public VolumeOpener(
      Storage storage,
      PinDirectory directory,
      Leftovers leftovers,
      VolumeIdentifier identifier,
      ExtentMapper mapper,
      MonotonicClock clock) {
    this.storage = storage;
    this.directory = directory;
    this.leftovers = leftovers;
    this.identifier = identifier;
    this.mapper = mapper;
    this.clock = clock;
  }

  @Override
  public VolumeAccess.Opened open() throws FallbackException, IOException {
    Path root = storage.volumeRoot();
    if (!storage.supported()) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, root.toString());
    }
    identifier.requireFenced(root);
    takeOver();
    DeviceIdentity device = identifier.identify(root);
    directory.create();
    WitnessFile witness = WitnessFile.create(root, RANDOM.nextLong(), mapper);
    record.write(storage, device);
    takenOver.clear();
    return new VolumeAccess.Opened(device, witness);
  }

  /** {@inheritDoc} A volume that had no room for its mount record may have some now. */
  @Override
  public DeviceIdentity look(DeviceIdentity before) throws FallbackException {
    DeviceIdentity device = identifier.identify(storage.volumeRoot());
    record.writeIfMissing(storage, device);
    return device;
  }

  @Override
  public @Nullable FallbackException obstacle() {
    return identifier.obstacle(storage.volumeRoot());
  }

  @Override
  public @Nullable FenceStatus fence() {
    return identifier.fence(storage.volumeRoot());
  }

  /** Pins found may be those of leases that still run: each is kept for its own full time. */
  private void takeOver() throws IOException {
    long now = clock.nanos();
    // One that was found by a try before keeps the time that it got then.
    List<PinDirectory.Leftover> found =
        directory.leftovers().stream()
            .filter(leftover -> !takenOver.contains(leftover.link()))
            .toList();
    KeptLinks kept = keptOf(found);
    for (PinDirectory.Leftover leftover : found) {
      takenOver.add(leftover.link());
      long hold = TimeUnit.MILLISECONDS.toNanos(leftover.holdMillis());
      leftovers.keep(leftover.link(), now, hold, kept);
    }
    if (!found.isEmpty()) {
      LOG.info(
          "{} pinned files of an earlier start found on {}; they go when their time is over",
          found.size(),
          storage.volumeRoot());
    }
  }

  /** Only the sum of deleted bytes wants them: no volume is refused for their sake. */
  private KeptLinks keptOf(List<PinDirectory.Leftover> pins) {
    try {
      return KeptLinks.find(
          storage.volumeRoot(), pins.stream().map(PinDirectory.Leftover::link).toList());
    } catch (IOException e) {
      LOG.warn(
          "What is kept on {} cannot be looked at; of deleted blocks its size is not counted",
          storage.volumeRoot(),
          e);
      return KeptLinks.NONE;
    }
  }
}
