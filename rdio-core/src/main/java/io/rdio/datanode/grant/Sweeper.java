// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.ReplicaSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks round: storage directories that came or went, replicas that HDFS let go, leases that ran
 * out, leftovers whose time is over. {@link #sweep} is not for more than one thread at a time; it
 * waits for HDFS's locks, which a volume that hangs may hold up, so {@link #expire}, which waits
 * for nothing, is for another thread. What touches a disk is done on threads of that volume.
 *
 * <p>Whether HDFS let a replica go is asked twice for each pin: the DataNode's memory, which knows
 * at once of a delete, append, truncate or move, and the inode behind the replica's path, which
 * shows what bypasses that memory. Link counts would show less: an upgrade in progress or a pin of
 * an earlier start keeps them up.
 *
 * <p>The first question costs a look into a hash map under a lock, the second a system call (6 µs
 * measured on a busy machine, which would be half a second for 100,000 pins). So every sweep asks
 * the first of every pin, and the second of {@value #INODES_A_SWEEP} or so, all in turn.
 */
final class Sweeper {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private static final int INODES_A_SWEEP = 2_000;

  private final ReplicaSource source;
  private final Volumes volumes;
  private final LeaseTable table;
  private final Recalls recalls;
  private final Unpinner unpinner;
  private final MonotonicClock clock;
  private final GrantCounters counters;
  private int sweeps;

  Sweeper(
      ReplicaSource source,
      Volumes volumes,
      LeaseTable table,
      Recalls recalls,
      Unpinner unpinner,
      MonotonicClock clock,
      GrantCounters counters) {
    this.source = source;
    this.volumes = volumes;
    this.table = table;
    this.recalls = recalls;
    this.unpinner = unpinner;
    this.clock = clock;
    this.counters = counters;
  }

  /** Ends leases that ran out. Waits for neither disk nor HDFS. Thread-safe. */
  void expire() {
    unpinner.unpin(table.expire());
  }

  /** One part that fails does not keep the others from being done. */
  void sweep() {
    counters.survive("looking for storage directories", volumes::refresh);
    Map<Volume, List<Pin>> turns = new HashMap<>();
    counters.survive("looking for replicas that went", () -> look(turns));
    counters.survive("ending leases", this::expire);
    for (Volume volume : volumes.all()) {
      List<Pin> turn = turns.getOrDefault(volume, List.of());
      counters.survive(
          "looking after a volume",
          () -> volume.upkeep().request("looking after " + volume, () -> upkeep(volume, turn)));
    }
    counters.swept();
  }

  /**
   * Looks at every pin, also behind one where that fails. Of such failures one is told: if HDFS
   * itself is at fault, there are as many as there are pins.
   *
   * @param toLookAt gets the pins whose inodes are to be looked at this time
   */
  private void look(Map<Volume, List<Pin>> toLookAt) {
    List<Pin> pins = table.undeletedPins();
    int turns = pins.size() / INODES_A_SWEEP + 1;
    sweeps++;
    Throwable failure = null;
    for (Pin pin : pins) {
      try {
        look(pin, turns, toLookAt);
      } catch (Throwable e) {
        failure = e;
      }
    }
    if (failure != null) {
      counters.failed("looking for replicas that went", failure);
    }
  }

  private void look(Pin pin, int turns, Map<Volume, List<Pin>> toLookAt) {
    boolean itsTurn = Math.floorMod(pin.block().hashCode() + sweeps, turns) == 0;
    if (!source.isCurrent(pin.replica())) {
      recalls.recall(pin, true);
    } else if (itsTurn) {
      toLookAt.computeIfAbsent(pin.volume(), unused -> new ArrayList<>()).add(pin);
    }
  }

  /** On the volume's thread. */
  private void upkeep(Volume volume, List<Pin> toLookAt) {
    counters.survive("opening a volume", volume.access()::openIfDue);
    counters.survive("probing a volume", volume.access()::probe);
    for (Pin pin : toLookAt) {
      counters.survive("looking at a pinned replica", () -> recallUnlessSame(pin));
    }
    unpinner.drain(volume);
    volume.leftovers().removeDue(clock.nanos());
  }

  private void recallUnlessSame(Pin pin) {
    if (!isSameFile(pin)) {
      recalls.recall(pin, true);
    }
  }

  private static boolean isSameFile(Pin pin) {
    try {
      return pin.inode().equals(PinAttempt.fileKey(pin.replica().blockFile()));
    } catch (IOException e) {
      // Recalling is always safe, and a volume that cannot be read is soon gone.
      LOG.warn("{} cannot be looked at; its leases are recalled", pin.replica(), e);
      return false;
    }
  }
}
