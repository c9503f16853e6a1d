// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.device.BlockPath;
import io.rdio.client.plane.device.MetaHeader;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.HostDevices;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.StandingFence;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A fenced device with a copy of its metadata, for as long as one fence stands: another fence makes
 * another object. Once it does not stand, or nobody knows, it never does again. Thread-safe.
 */
final class FencedVolume {
  private final Path node;
  private final FencedDevices fences;
  private final StandingFence fence;
  private final HostDevices.Opened device;
  private final MetadataCopies.Copy copy;
  private final CopiedFiles files;
  private final List<CopiedStorages.Found> storages;
  private final DeviceIdentity identity;
  private final ReentrantLock looking = new ReentrantLock();

  /** Looks that have begun; written under the lock. */
  private volatile long begun;

  private volatile long ended;
  private volatile @Nullable String lost;

  private FencedVolume(
      Path node,
      FencedDevices fences,
      StandingFence fence,
      HostDevices.Opened device,
      MetadataCopies.Copy copy,
      StorageOwners owners)
      throws IOException, FallbackException {
    this.node = node;
    this.fences = fences;
    this.fence = fence;
    this.device = device;
    this.copy = copy;
    this.files = new CopiedFiles(owners);
    this.storages = new CopiedStorages(copy, device.metadata(), owners).all();
    this.identity =
        new DeviceIdentity(
            "xfs", copy.fileSystem(), device.data().sizeBytes(), "", 0, device.data().name());
  }

  /** How to open the device of a node. */
  @FunctionalInterface
  interface Opening {
    HostDevices.Opened open(Path node) throws FallbackException;
  }

  /** What copies are made of and by. */
  record Means(
      FencedDevices fences, MetadataCopies copies, Opening opening, StorageOwners owners) {}

  /**
   * Has a copy made of a device that is fenced, before and behind that.
   *
   * @throws IOException that says why there is none
   */
  static FencedVolume open(Path node, Means means) throws IOException, FallbackException {
    StandingFence fence = means.fences().look(node);
    means.copies().requireAble();
    MetadataCopies.Copy copy = means.copies().of(node);
    FencedVolume made = null;
    try {
      made =
          new FencedVolume(
              node, means.fences(), fence, means.opening().open(node), copy, means.owners());
      made.requireStanding();
      return made;
    } finally {
      if (made == null || made.isLost()) {
        copy.close();
      }
    }
  }

  /** A replica in it. */
  record Replica(
      long blockLength, ExtentList blockExtents, ExtentList metaExtents, ChecksumSpec checksum) {}

  List<CopiedStorages.Found> storages() {
    return storages;
  }

  DeviceIdentity identity() {
    return identity;
  }

  BlockDevice device() {
    return device.data();
  }

  Path node() {
    return node;
  }

  boolean isLost() {
    return lost != null;
  }

  /**
   * Asks the device whether the fence stands that the copy was made behind: then all that was read
   * of the device before this call is as the copy says. One that was asked behind this call serves
   * as well, whoever asked.
   *
   * @throws FallbackException LEASE_EXPIRED
   */
  void requireStanding() throws FallbackException {
    long wanted = begun + 1;
    try {
      looking.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FallbackException(FallbackReason.INTERRUPTED, "waiting to ask " + node);
    }
    try {
      if (lost == null && ended < wanted) {
        long number = begun + 1;
        begun = number;
        look();
        ended = number;
      }
    } finally {
      looking.unlock();
    }
    String why = lost;
    if (why != null) {
      throw new FallbackException(FallbackReason.LEASE_EXPIRED, why);
    }
  }

  private void look() {
    String why = node + ": the device could not be asked whether it is fenced";
    try {
      StandingFence now = fences.look(node);
      why =
          now.equals(fence)
              ? null
              : node
                  + ": it was fenced anew or written to since its metadata was copied: "
                  + fence
                  + ", and now "
                  + now;
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    } finally {
      if (why != null) {
        lost = why;
      }
    }
  }

  /**
   * Finds a replica in one of its storages, as the copy has it.
   *
   * @throws FallbackException REPLICA_NOT_FOUND, REPLICA_CHANGED, EXTENTS_UNMAPPABLE,
   *     CHECKSUM_UNSUPPORTED, STORAGE_UNSUPPORTED, METADATA_UNREADABLE where the copy makes no
   *     sense, or what the device came to
   */
  Replica find(CopiedStorages.Found storage, BlockKey block) throws FallbackException {
    if (!storage.version().isSupported()) {
      throw new FallbackException(
          FallbackReason.STORAGE_UNSUPPORTED,
          "storage "
              + storage.storageId()
              + " of "
              + node
              + ": layout version "
              + storage.version().layoutVersion());
    }
    String directory = BlockPath.directory(block) + "/";
    try {
      return replica(
          block,
          storage.directory(),
          directory + BlockPath.blockFile(block),
          directory + BlockPath.metaFile(block));
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.METADATA_UNREADABLE, node + ", by a copy of its metadata: " + e, e);
    }
  }

  private Replica replica(BlockKey block, Path storage, String blockFile, String metaFile)
      throws IOException, FallbackException {
    CopiedFiles.Seen data = requireFile(storage, blockFile);
    CopiedFiles.Seen meta = requireFile(storage, metaFile);
    MetaHeader.requireWhole(block, meta.size());
    ExtentList metaExtents = copy.extents(storage.resolve(metaFile), meta.size());
    ChecksumSpec checksum =
        MetaHeader.parse(block, DeviceBytes.sector(device.metadata(), metaExtents.physical(0)));
    MetaHeader.requireFit(block, checksum, data.size(), meta.size());
    return new Replica(
        data.size(), copy.extents(storage.resolve(blockFile), data.size()), metaExtents, checksum);
  }

  private CopiedFiles.Seen requireFile(Path storage, String path)
      throws IOException, FallbackException {
    CopiedFiles.Seen seen = files.require(storage, path);
    if (!seen.isFile()) {
      throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, path + " is no file");
    }
    return seen;
  }

  /** Lets go of the copy; nothing is found any more, and all guards of it fail. */
  void close() {
    // Not behind a look that is under way: the device may hang.
    if (lost == null) {
      lost = node + ": its copy was closed";
    }
    copy.close();
  }
}
