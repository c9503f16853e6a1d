// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.VolumeIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one volume's slots into use. What an earlier incarnation lent is quarantined for the time
 * that its folder names (W4), before anything is lent; its pool is used where it is still in order.
 * A file that goes meanwhile is passed over, for else the volume would be refused for its sake. May
 * be tried again after it failed; for one thread at a time.
 */
final class SlotOpener {
  private static final Logger LOG = LoggerFactory.getLogger(SlotOpener.class);

  private final SlotVolume volume;
  private final WriteConfig config;
  private final SlotFiles files;
  private final VolumeIdentifier identifier;
  private final MonotonicClock clock;
  private final LongSupplier random;
  private final Set<Path> takenOver = new HashSet<>();

  SlotOpener(
      SlotVolume volume,
      WriteConfig config,
      SlotFiles files,
      VolumeIdentifier identifier,
      MonotonicClock clock,
      LongSupplier random) {
    this.volume = volume;
    this.config = config;
    this.files = files;
    this.identifier = identifier;
    this.clock = clock;
    this.random = random;
  }

  SlotVolume.Opened open() throws FallbackException, IOException {
    if (!volume.storage().supported()) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, volume.toString());
    }
    DeviceIdentity device = identifier.identify(volume.root());
    SlotDirectory directory = new SlotDirectory(volume.root(), config.quarantineMillis());
    directory.create();
    volume.pins().create(); // or each Commit would sync it
    takeOver(directory);
    directory.emptyMaking();
    int unit = files.unit(volume.root());
    SlotPool pool = new SlotPool(config.poolBytes(), config.blockBytes(), unit);
    SlotMaker maker = new SlotMaker(directory, files, unit, random);
    for (SlotDirectory.Pooled found : directory.pool()) {
      use(found, maker, pool);
    }
    boolean recycles = config.recycles() && mayRecycle(device);
    if (recycles) {
      directory.createKept();
    }
    return new SlotVolume.Opened(device, unit, directory, maker, pool, recycles);
  }

  /** Without a journal W15.2 does not hold: no order makes a deletion durable with what follows. */
  private boolean mayRecycle(DeviceIdentity device) {
    String why;
    try {
      if (files.hasJournal(device)) {
        return true;
      }
      why = "has ext4 without a journal; fix: unmount it, and tune2fs -O has_journal";
    } catch (IOException e) {
      why = "may have no journal; fix: let the DataNode read /proc/fs/ext4 (" + e + ")";
    }
    LOG.warn(
        "Files of deleted blocks are not recycled on {}, where a loss of power could bring such a"
            + " block back with another one's bytes: {} {}",
        volume,
        device.name(),
        why);
    return false;
  }

  /** Its device, as it is by now. */
  DeviceIdentity look() throws FallbackException {
    return identifier.identify(volume.root());
  }

  private void takeOver(SlotDirectory directory) throws IOException {
    long now = clock.nanos();
    for (SlotDirectory.Lent lent : directory.lent()) {
      // One that was found by a try before keeps the time that it got then.
      if (!takenOver.contains(lent.file())) {
        try {
          takeOver(lent, now);
        } catch (NoSuchFileException e) {
          gone(lent.file());
        }
      }
    }
  }

  private void takeOver(SlotDirectory.Lent lent, long now) throws IOException {
    long bytes = Files.size(lent.file());
    long due = now + TimeUnit.MILLISECONDS.toNanos(lent.holdMillis());
    takenOver.add(lent.file());
    volume.account().take("", bytes);
    volume
        .quarantine()
        .add(new Quarantine.Held(lent.file(), lent.number(), bytes, "", lent.hostKey(), due, true));
  }

  private static void use(SlotDirectory.Pooled found, SlotMaker maker, SlotPool pool)
      throws IOException {
    if (pool.wants(found.bytes())) {
      try {
        pool.add(maker.found(found));
        return;
      } catch (FallbackException e) {
        LOG.info("A slot of an earlier start is removed: {}", e.detail());
      } catch (NoSuchFileException e) {
        gone(found.file());
        return;
      }
    }
    Files.deleteIfExists(found.file());
  }

  /** As where the one that the volume was open to before ends what it had begun. */
  private static void gone(Path file) {
    LOG.info("{} went while the slots of its volume were looked at", file);
  }
}
