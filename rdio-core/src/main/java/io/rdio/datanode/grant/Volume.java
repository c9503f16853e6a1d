// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.Storage;
import io.rdio.datanode.volume.VolumeAccess;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** One storage directory: its device, its pin directory, its threads, and what is pinned there. */
final class Volume {
  private final Storage storage;
  private final PinDirectory directory;
  private final Leftovers leftovers;
  private final VolumeAccess access;
  private final Executor pinning;
  private final Coalesced unlinking;
  private final Coalesced upkeep;
  private final Queue<Pin> unpinned = new ConcurrentLinkedQueue<>();
  private final VolumeAccount account = new VolumeAccount();

  Volume(
      Storage storage,
      PinDirectory directory,
      Leftovers leftovers,
      VolumeAccess access,
      GrantThreads threads,
      GrantCounters counters) {
    this.storage = storage;
    this.directory = directory;
    this.leftovers = leftovers;
    this.access = access;
    this.pinning = threads.pinning(storage.volumeRoot());
    Executor thread = threads.upkeep(storage.volumeRoot());
    this.unlinking = new Coalesced(thread, counters);
    this.upkeep = new Coalesced(thread, counters);
  }

  Storage storage() {
    return storage;
  }

  PinDirectory directory() {
    return directory;
  }

  VolumeAccess access() {
    return access;
  }

  /** The device, or the reason why nothing can be granted here. */
  DeviceIdentity device() throws FallbackException {
    return access.opened().device();
  }

  /** For pinning blocks here. */
  Executor pinning() {
    return pinning;
  }

  /** For removing {@link #unpinned}. */
  Coalesced unlinking() {
    return unlinking;
  }

  /** For everything else that has to be done here from time to time. */
  Coalesced upkeep() {
    return upkeep;
  }

  /** Pins that the table handed out, whose links are still to be removed. */
  Queue<Pin> unpinned() {
    return unpinned;
  }

  Leftovers leftovers() {
    return leftovers;
  }

  /** What is pinned here. Only {@link LeaseTable} touches it, under its lock. */
  VolumeAccount account() {
    return account;
  }

  /**
   * Refuses at the cap, but no address that keeps less than an equal share of the bytes. Reads the
   * account: under the lease table's lock only.
   *
   * @param cap bytes of deleted blocks that pins may keep here
   * @throws FallbackException PIN_LIMIT
   */
  void checkDeletedBytes(String address, long cap) throws FallbackException {
    long ofNobody = leftovers.deletedBytes();
    long bytes = account.deletedBytes() + ofNobody;
    if (bytes >= cap
        && (ofNobody >= cap || account.hasItsShareOfDeleted(address, cap - ofNobody))) {
      throw new FallbackException(
          FallbackReason.PIN_LIMIT,
          bytes + " bytes of deleted blocks are pinned on " + storage.volumeRoot());
    }
  }

  @Override
  public String toString() {
    return storage.volumeRoot().toString();
  }

  /** Reads the account: under the lease table's lock only. */
  VolumeStatus status() {
    return new VolumeStatus(
        storage.storageId(),
        storage.volumeRoot(),
        access.deviceOrNull(),
        access.refusal(),
        account.places(),
        account.bytes(),
        account.deletedBytes() + leftovers.deletedBytes(),
        access.fence());
  }

  /**
   * Work that is asked for more often than it needs to be done: at most one request waits, so that
   * a thread that hangs collects no queue. Thread-safe.
   */
  static final class Coalesced {
    private final Executor thread;
    private final GrantCounters counters;
    private final AtomicBoolean waiting = new AtomicBoolean();

    /**
     * @param thread runs one task after the other
     * @param counters told when the work fails
     */
    Coalesced(Executor thread, GrantCounters counters) {
      this.thread = thread;
      this.counters = counters;
    }

    /** Has the work done after now, by this request or by one that waits already. */
    void request(String what, Runnable work) {
      if (!waiting.compareAndSet(false, true)) {
        return;
      }
      boolean queued = false;
      try {
        thread.execute(
            () -> {
              waiting.set(false);
              counters.survive(what, work);
            });
        queued = true;
      } finally {
        if (!queued) {
          waiting.set(false);
        }
      }
    }
  }
}
