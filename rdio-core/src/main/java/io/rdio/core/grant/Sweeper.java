// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.lease.LeaseClock;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks round: storage directories that came or went, replicas that HDFS let go, leases that ran
 * out, leftovers whose time is over. Not for more than one thread at a time.
 *
 * <p>Whether HDFS let a replica go is asked twice for each pin: the DataNode's memory, which knows
 * at once of a delete, append, truncate or move, and the inode behind the replica's path, which
 * shows what bypasses that memory. Link counts would show less: an upgrade in progress or a pin of
 * an earlier start keeps them up.
 */
final class Sweeper {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private final ReplicaSource source;
  private final Volumes volumes;
  private final LeaseTable table;
  private final Recalls recalls;
  private final Unpinner unpinner;
  private final LeaseClock clock;

  Sweeper(
      ReplicaSource source,
      Volumes volumes,
      LeaseTable table,
      Recalls recalls,
      Unpinner unpinner,
      LeaseClock clock) {
    this.source = source;
    this.volumes = volumes;
    this.table = table;
    this.recalls = recalls;
    this.unpinner = unpinner;
    this.clock = clock;
  }

  void sweep() {
    volumes.refresh();
    for (Pin pin : table.undeletedPins()) {
      if (!isCurrent(pin)) {
        recalls.recall(pin, true);
      }
    }
    unpinner.unpin(table.expire());
    for (Volume volume : volumes.all()) {
      volume.leftovers().removeDue(clock.nanos());
    }
  }

  private boolean isCurrent(Pin pin) {
    try {
      return source.isCurrent(pin.replica())
          && pin.inode().equals(PinAttempt.fileKey(pin.replica().blockFile()));
    } catch (IOException e) {
      // Recalling is always safe, and a volume that cannot be read is soon gone.
      LOG.warn("{} cannot be looked at; its leases are recalled", pin.replica(), e);
      return false;
    }
  }
}
