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
 * out, leftovers whose time is over. {@link #look} waits for HDFS's locks, which a volume that
 * hangs may hold up for all volumes: HDFS creates and renames files under the lock of the block
 * pool, shared, and who waits for it alone keeps all later ones waiting. So {@link #upkeep}, which
 * waits for nothing, is for another thread. Each is for one thread at a time. What touches a disk
 * is done on threads of that volume.
 *
 * <p>Whether HDFS let a replica go is asked twice for each pin: the DataNode's memory, which knows
 * at once of a delete, append, truncate or move, and the inode behind the replica's path, which
 * shows what bypasses that memory, and what HDFS did just before its locks were held up; as long as
 * they are it changes nothing itself. Link counts would show less: an upgrade in progress or a pin
 * of an earlier start keeps them up.
 *
 * <p>The first question costs a look into a hash map under a lock, the second a system call (6 µs
 * measured on a busy machine). So that neither takes longer with more pins, a look asks the first
 * of {@value #REPLICAS_AT_ONCE} pins at most, an upkeep the second of {@value #INODES_AT_ONCE}, all
 * in turn. What comes late thereby is that a deleted block's space is freed, no more.
 */
final class Sweeper {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private static final int REPLICAS_AT_ONCE = 10_000;
  private static final int INODES_AT_ONCE = 2_000;

  private final ReplicaSource source;
  private final Volumes volumes;
  private final LeaseTable table;
  private final Recalls recalls;
  private final Unpinner unpinner;
  private final MonotonicClock clock;
  private final GrantCounters counters;
  private final PinTurns replicas;
  private final PinTurns inodes;

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
    this.replicas = new PinTurns(table, REPLICAS_AT_ONCE);
    this.inodes = new PinTurns(table, INODES_AT_ONCE);
  }

  /** Ends leases that ran out. Waits for neither disk nor HDFS. Thread-safe. */
  void expire() {
    unpinner.unpin(table.expire());
  }

  /** Asks HDFS. One part that fails does not keep the others from being done. */
  void look() {
    counters.survive("looking for storage directories", volumes::refresh);
    counters.survive("looking for replicas that went", this::recallWhatWent);
    counters.swept();
  }

  /**
   * Asks about every pin whose turn it is, also behind one where that fails. Of such failures one
   * is told: if HDFS itself is at fault, there are as many as there are pins.
   */
  private void recallWhatWent() {
    Throwable failure = null;
    for (Pin pin : replicas.next()) {
      try {
        if (!source.isCurrent(pin.replica())) {
          recalls.recall(pin, true);
        }
      } catch (Throwable e) {
        failure = e;
      }
    }
    if (failure != null) {
      counters.failed("looking for replicas that went", failure);
    }
  }

  /** Does what needs no word of HDFS, as far as that waits for no disk, and has the rest done. */
  void upkeep() {
    counters.survive("ending leases", this::expire);
    Map<Volume, List<Pin>> turns = new HashMap<>();
    counters.survive("looking for pins whose turn it is", () -> takeTurns(turns));
    for (Volume volume : volumes.all()) {
      List<Pin> turn = turns.getOrDefault(volume, List.of());
      counters.survive(
          "looking after a volume",
          () -> volume.upkeep().request("looking after " + volume, () -> upkeep(volume, turn)));
    }
  }

  /**
   * @param toLookAt gets the pins whose inodes are to be looked at this time
   */
  private void takeTurns(Map<Volume, List<Pin>> toLookAt) {
    for (Pin pin : inodes.next()) {
      toLookAt.computeIfAbsent(pin.volume(), unused -> new ArrayList<>()).add(pin);
    }
  }

  /** On the volume's thread. */
  private void upkeep(Volume volume, List<Pin> toLookAt) {
    counters.survive("opening a volume", volume.access()::openIfDue);
    counters.survive("looking at a volume", volume.access()::lookIfDue);
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
