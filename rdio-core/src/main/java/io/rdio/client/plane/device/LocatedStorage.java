// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.ext4.Ext4Exception;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A DataNode's storage that was found on a device. Whenever that was opened anew it is looked at
 * anew before anything is read by it. Safe for any number of threads.
 */
final class LocatedStorage {
  /** The first look of one sees another mount, or growth, and the next one asks who it is then. */
  private static final int TRIES = 2;

  private final LiveVolume live;
  private final String storageId;
  private final String path;
  private final DeviceIdentity identity;
  private final StorageOwners owners;

  /** The position of the journal, in a mount, at which it was found fit. */
  private record Checked(OpenVolume opened, long position, BlockTrace read) {
    boolean holds(OpenVolume now) {
      return now == opened && read.isUntouched(now.journal(), position);
    }
  }

  private record Scanned(Optional<StorageScan.Found> found, BlockTrace read) {}

  private volatile Optional<Checked> checked = Optional.empty();

  /**
   * @param path of its directory, from the file system's root
   */
  LocatedStorage(LiveVolume live, String storageId, String path, StorageOwners owners) {
    this.live = live;
    this.storageId = storageId;
    this.path = path;
    this.owners = owners;
    this.identity =
        new DeviceIdentity(
            "ext4",
            live.current().home().superblock().uuid(),
            live.device().sizeBytes(),
            "",
            0,
            live.device().name());
  }

  LiveVolume live() {
    return live;
  }

  String storageId() {
    return storageId;
  }

  DeviceIdentity identity() {
    return identity;
  }

  /**
   * Finds a replica in it.
   *
   * @throws FallbackException FILE_SYSTEM_UNSUPPORTED, STORAGE_UNSUPPORTED, or as {@link Moment}
   *     and {@link ReplicaFiles} say
   */
  Moment<ReplicaFiles.Found> resolve(BlockKey block) throws FallbackException {
    return resolve(block, step -> {});
  }

  /**
   * As {@link #resolve(BlockKey)}.
   *
   * @param ended told of each step when it has ended
   */
  Moment<ReplicaFiles.Found> resolve(BlockKey block, Consumer<ResolveStep> ended)
      throws FallbackException {
    for (int i = 0; i < TRIES; i++) {
      OpenVolume fit = fit();
      ended.accept(ResolveStep.STORAGE);
      live.counters().resolves.increment();
      Moment<ReplicaFiles.Found> moment =
          Moment.of(
              live,
              block.toString(),
              (opened, trace) -> {
                ended.accept(ResolveStep.LOOK);
                return new ReplicaFiles(opened, trace, owners).find(path, block, ended);
              });
      ended.accept(ResolveStep.LOOK_BEHIND);
      if (moment.opened() == fit) {
        return moment;
      }
    }
    throw new FallbackException(
        FallbackReason.LEASE_EXPIRED,
        live.device().name() + " was mounted anew or has grown, again and again");
  }

  /** The mount in which it is fit; looks again who it is where that may have changed. */
  private OpenVolume fit() throws FallbackException {
    Optional<Checked> before = checked;
    if (before.isPresent() && before.get().holds(live.current())) {
      return before.get().opened();
    }
    Moment<Scanned> moment = Moment.of(live, path, this::scan);
    Optional<StorageScan.Found> found = moment.found().found();
    if (found.isEmpty() || !found.get().storageId().equals(storageId)) {
      throw refusal(
          FallbackReason.DEVICE_NOT_FOUND,
          "it is not there any more, or somebody who runs no DataNode may write there");
    }
    String unfit = found.get().unfit();
    if (unfit != null) {
      throw refusal(FallbackReason.FILE_SYSTEM_UNSUPPORTED, unfit);
    }
    if (!StorageVersion.isSupported(found.get().layoutVersion())) {
      throw refusal(
          FallbackReason.STORAGE_UNSUPPORTED, "layout version " + found.get().layoutVersion());
    }
    checked = Optional.of(new Checked(moment.opened(), moment.position(), moment.found().read()));
    return moment.opened();
  }

  private Scanned scan(OpenVolume opened, BlockTrace trace) throws Ext4Exception {
    return new Scanned(StorageScan.at(opened, trace, path, owners), trace);
  }

  private FallbackException refusal(FallbackReason reason, String detail) {
    return new FallbackException(
        reason,
        "storage " + storageId + " in " + path + " of " + live.device().name() + ": " + detail);
  }
}
