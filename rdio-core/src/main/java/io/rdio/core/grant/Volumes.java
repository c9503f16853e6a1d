// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.lease.LeaseClock;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage directories that the DataNode uses now. One that comes has its device identified,
 * once, and the pins of earlier incarnations on it are taken over before anything is granted there.
 * Thread-safe.
 */
final class Volumes {
  private static final Logger LOG = LoggerFactory.getLogger(Volumes.class);

  private final GrantConfig config;
  private final ReplicaSource source;
  private final VolumeIdentifier identifier;
  private final ExtentMapper mapper;
  private final long incarnation;
  private final LeaseClock clock;
  private final Consumer<Volume> whenGone;
  private final ConcurrentHashMap<Storage, Volume> volumes = new ConcurrentHashMap<>();

  /**
   * @param whenGone told of each volume that went; ends granting and renewing there
   */
  Volumes(
      GrantConfig config,
      ReplicaSource source,
      VolumeIdentifier identifier,
      ExtentMapper mapper,
      long incarnation,
      LeaseClock clock,
      Consumer<Volume> whenGone) {
    this.config = config;
    this.source = source;
    this.identifier = identifier;
    this.mapper = mapper;
    this.incarnation = incarnation;
    this.clock = clock;
    this.whenGone = whenGone;
  }

  /** The volume of a replica. */
  Volume of(Replica replica) throws FallbackException {
    Storage storage = new Storage(replica.storageId(), replica.volumeRoot(), true);
    Volume volume = volumes.get(storage);
    if (volume == null) {
      refresh();
      volume = volumes.get(storage);
    }
    if (volume == null) {
      throw new FallbackException(
          FallbackReason.STORAGE_UNSUPPORTED,
          replica.volumeRoot() + " is not a storage directory in use");
    }
    return volume;
  }

  Collection<Volume> all() {
    return volumes.values();
  }

  /** Takes in storage directories that came and forgets those that went. */
  synchronized void refresh() {
    List<Storage> now = source.storages();
    for (Storage storage : now) {
      volumes.computeIfAbsent(storage, this::open);
    }
    Set<Storage> gone = new HashSet<>(volumes.keySet());
    now.forEach(gone::remove);
    for (Storage storage : gone) {
      LOG.info("Storage directory {} is no longer in use", storage.volumeRoot());
      Volume volume = volumes.remove(storage);
      if (volume != null) {
        whenGone.accept(volume);
      }
    }
  }

  private Volume open(Storage storage) {
    PinDirectory directory = new PinDirectory(storage.volumeRoot(), config.holdMillis());
    Leftovers leftovers = new Leftovers();
    try {
      if (!storage.supported()) {
        throw new FallbackException(
            FallbackReason.STORAGE_UNSUPPORTED, storage.volumeRoot().toString());
      }
      takeOver(directory, leftovers);
      DeviceIdentity device = identifier.identify(storage.volumeRoot());
      directory.create();
      WitnessFile witness = WitnessFile.create(storage.volumeRoot(), incarnation, mapper);
      LOG.info("Grants on {}: {}", storage.volumeRoot(), device);
      return new Volume(storage, directory, leftovers, witness, device, null);
    } catch (FallbackException e) {
      return refused(storage, directory, leftovers, e);
    } catch (IOException e) {
      FallbackException refusal =
          new FallbackException(FallbackReason.PIN_FAILED, "pin directory or witness: " + e, e);
      return refused(storage, directory, leftovers, refusal);
    }
  }

  /** Pins found may be those of leases that still run: each is kept for its own full time. */
  private void takeOver(PinDirectory directory, Leftovers leftovers) throws IOException {
    long now = clock.nanos();
    List<PinDirectory.Leftover> found = directory.leftovers();
    for (PinDirectory.Leftover leftover : found) {
      leftovers.keep(leftover.link(), now, TimeUnit.MILLISECONDS.toNanos(leftover.holdMillis()));
    }
    if (!found.isEmpty()) {
      LOG.info(
          "{} pinned files of an earlier start found beside {}; they go when their time is over",
          found.size(),
          found.get(0).link());
    }
  }

  private static Volume refused(
      Storage storage, PinDirectory directory, Leftovers leftovers, FallbackException why) {
    LOG.warn(
        "No grants on {}: {} ({}); fix: {}",
        storage.volumeRoot(),
        why.reason().text(),
        why.detail(),
        why.reason().fix());
    return new Volume(storage, directory, leftovers, null, null, why);
  }
}
