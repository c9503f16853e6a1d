// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.AgentFences;
import io.rdio.datanode.volume.MetaHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lends slots by rule W2: staged durably, then answered. What fails undoes all: the replica is
 * invalidated, the slot quarantined, or removed on a volume that went meanwhile, or back in the
 * pool if it never left it. Thread-safe; waits for HDFS, for the volume and for its device.
 */
final class SlotLender {
  private static final Logger LOG = LoggerFactory.getLogger(SlotLender.class);

  private final ReplicaWriter writer;
  private final WriteLeases leases;
  private final SlotEnds ends;
  private final WriteFence fence;
  private final WriteVolumes volumes;

  SlotLender(
      ReplicaWriter writer,
      WriteLeases leases,
      SlotEnds ends,
      WriteFence fence,
      WriteVolumes volumes) {
    this.writer = writer;
    this.leases = leases;
    this.ends = ends;
    this.fence = fence;
    this.volumes = volumes;
  }

  /**
   * A slot that is out of the pool in memory only, and on the account of its holder's address.
   *
   * @param hostKey by which its holder's host can be shut out
   */
  private record Taken(
      SlotVolume volume, SlotVolume.Opened opened, Slot slot, String address, long hostKey) {
    void putBack() {
      opened.pool().add(slot);
      volume.account().giveBack(address, slot.bytes());
    }
  }

  /**
   * A slot and the lease on it.
   *
   * @param wanted the volume that HDFS is asked to put the replica on
   * @throws FallbackException why there is none
   */
  WriteLease lend(AllocateCommand command, SlotVolume wanted)
      throws FallbackException, IOException {
    Taken first = take(command, wanted);
    RbwReplica replica = create(command, first);
    Taken taken = onVolumeOf(replica, first, command);
    WriteLease.Lent lent = stage(command, taken, replica);
    while (lent == null) { // each of them is out of the pool by then
      taken = takeNext(command, taken.volume(), replica);
      lent = stage(command, taken, replica);
    }
    return note(lent);
  }

  /** The host first: a slot that is not lent need not be put back. */
  private Taken take(AllocateCommand command, SlotVolume volume) throws FallbackException {
    SlotVolume.Opened opened = volume.use();
    long hostKey = hostKey(command, volume, opened);
    Slot slot =
        opened
            .pool()
            .take(command.bytes())
            .orElseThrow(
                () ->
                    new FallbackException(
                        FallbackReason.SLOTS_EXHAUSTED,
                        "no free slot of " + command.bytes() + " bytes on " + volume));
    String address = command.holder().address();
    boolean lent = false;
    try {
      volume.account().lend(address, slot.bytes());
      lent = true;
      return new Taken(volume, opened, slot, address, hostKey);
    } finally {
      if (!lent) {
        opened.pool().add(slot);
      }
    }
  }

  private long hostKey(AllocateCommand command, SlotVolume volume, SlotVolume.Opened opened)
      throws FallbackException {
    long key = fence.keyOf(command.hostKey(), volume.root(), opened.device());
    if (key != AgentFences.NOBODY && volumes.isDoomed(opened.device(), key)) {
      throw fence.doomed(volume.root(), opened.device(), key);
    }
    return key;
  }

  private RbwReplica create(AllocateCommand command, Taken taken)
      throws FallbackException, IOException {
    boolean made = false;
    try {
      RbwReplica replica =
          writer.create(
              new NewReplica(
                  command.block(),
                  taken.volume().storage().storageId(),
                  command.bytes(),
                  command.checksumType(),
                  command.bytesPerChecksum()));
      made = true;
      return replica;
    } finally {
      if (!made) {
        taken.putBack();
      }
    }
  }

  /** HDFS may have put the replica on another volume: a rename does not cross volumes. */
  private Taken onVolumeOf(RbwReplica replica, Taken taken, AllocateCommand command)
      throws FallbackException {
    if (replica.storage().equals(taken.volume().storage())) {
      return taken;
    }
    taken.putBack();
    boolean found = false;
    try {
      SlotVolume other =
          volumes
              .of(replica.storage())
              .orElseThrow(
                  () ->
                      new FallbackException(
                          FallbackReason.DATANODE_NOT_READY,
                          replica.storage().volumeRoot() + " is not known yet"));
      Taken there = take(command, other);
      found = true;
      return there;
    } finally {
      if (!found) {
        taken.volume().toInvalidate().add(replica);
      }
    }
  }

  /** Another slot for a replica that is there, which goes where there is none. */
  private Taken takeNext(AllocateCommand command, SlotVolume volume, RbwReplica replica)
      throws FallbackException {
    boolean found = false;
    try {
      Taken next = take(command, volume);
      found = true;
      return next;
    } finally {
      if (!found) {
        volume.toInvalidate().add(replica);
      }
    }
  }

  /** Null if the slot's file is gone: then the slot is nobody's any more, and the replica is. */
  private WriteLease.@Nullable Lent stage(AllocateCommand command, Taken taken, RbwReplica replica)
      throws FallbackException, IOException {
    WriteLease.Lent lent = lent(command, taken, replica);
    boolean ended = false;
    try {
      WriteFaultInjector.get().beforeStage(lent.block());
      if (!move(taken, lent)) {
        ended = true;
        taken.volume().account().giveBack(taken.address(), taken.slot().bytes());
        return null;
      }
      WriteFaultInjector.get().afterStage(lent.block());
      checkExtents(taken, lent);
      ended = true;
      return lent;
    } finally {
      if (!ended) {
        undo(taken, lent);
      }
    }
  }

  private static WriteLease.Lent lent(AllocateCommand command, Taken taken, RbwReplica replica) {
    Slot slot = taken.slot();
    return new WriteLease.Lent(
        taken.volume(),
        command.holder(),
        replica,
        slot,
        taken.opened().directory().staged(slot, replica.block(), taken.hostKey()),
        taken.hostKey(),
        command.bytes(),
        new ChecksumSpec(command.checksumType(), command.bytesPerChecksum(), MetaHeader.LENGTH));
  }

  /** False where the file is in neither place, as for somebody who removed it by hand. */
  private static boolean move(Taken taken, WriteLease.Lent lent) throws IOException {
    SlotDirectory directory = taken.opened().directory();
    try {
      directory.stage(lent.slot(), lent.staged());
      return true;
    } catch (NoSuchFileException e) {
      Path pooled = directory.pooled(lent.slot());
      if (Files.exists(lent.staged()) || Files.exists(pooled)) {
        throw e; // a folder is gone
      }
      LOG.warn("{} is gone; the next slot is lent", pooled);
      return false;
    }
  }

  private static void checkExtents(Taken taken, WriteLease.Lent lent)
      throws FallbackException, IOException {
    Slot slot = lent.slot();
    ExtentList now = taken.opened().maker().mapped(lent.staged(), slot.bytes());
    if (!now.equals(slot.extents()) || now.physicalEnd() > taken.opened().device().sizeBytes()) {
      throw new FallbackException(
          FallbackReason.EXTENTS_UNMAPPABLE,
          lent.staged() + " lies at " + now + ", but was stamped at " + slot.extents());
    }
  }

  private void undo(Taken taken, WriteLease.Lent lent) {
    if (Files.exists(lent.staged())) {
      giveUp(lent);
      return;
    }
    lent.volume().toInvalidate().add(lent.replica());
    if (Files.exists(taken.opened().directory().pooled(taken.slot()))) {
      taken.putBack();
    } else {
      taken.volume().account().giveBack(taken.address(), taken.slot().bytes());
    }
  }

  private WriteLease note(WriteLease.Lent lent) throws FallbackException {
    WriteLease lease = null;
    boolean noted = false;
    try {
      WriteFaultInjector.get().beforeLease(lent.block());
      lease = leases.grant(lent);
      if (lease == null) {
        throw new FallbackException(
            FallbackReason.DATANODE_NOT_READY, lent.volume() + " is not lent from any more");
      }
      WriteFaultInjector.get().afterLease(lent.block());
      noted = true;
      return lease;
    } finally {
      if (!noted && lease != null) {
        takeBack(lease);
      } else if (!noted) {
        giveUp(lent);
      }
    }
  }

  /**
   * Of a staged slot that has no lease. Whoever stands for a volume that went, and is back by now,
   * may have looked before at what is lent, and would not know of it until the next start: there it
   * is removed, for no agent was told of it. So it is where the room was closed: then nobody looks
   * after quarantines here, and the next start may have looked, too.
   */
  private void giveUp(WriteLease.Lent lent) {
    if (!lent.volume().isGone()) {
      ends.quiet(lent);
      return;
    }
    try {
      Files.deleteIfExists(lent.staged());
    } catch (IOException e) {
      LOG.warn("{} is not lent, and stays until the next start", lent.staged(), e);
    }
  }

  /** Ends a lease that nobody was told of. */
  void takeBack(WriteLease lease) {
    if (leases.end(lease)) {
      ends.unwritten(lease.lent);
    }
  }
}
