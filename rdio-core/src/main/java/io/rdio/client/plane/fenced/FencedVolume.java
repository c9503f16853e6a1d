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
import io.rdio.core.fence.StandingFence;
import io.rdio.core.thread.OneAtATime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A fenced device with a copy of its metadata, for as long as one fence stands: another fence makes
 * another object. Once it does not stand, or the device cannot be asked, it never does again. A
 * device that does not answer in time may do so later. Thread-safe.
 */
final class FencedVolume {
  private final Path node;
  private final FenceLooks fences;
  private final StandingFence fence;
  private final HostDevices.Opened device;
  private final MetadataCopies.Copy copy;
  private final CopiedFiles files;
  private final CopiedStorages.Report storages;
  private final DeviceIdentity identity;
  private final OneAtATime looking = new OneAtATime();
  private volatile @Nullable String lost;

  private FencedVolume(
      Path node,
      FenceLooks fences,
      StandingFence fence,
      HostDevices.Opened device,
      MetadataCopies.Copy copy,
      StorageOwners owners)
      throws FallbackException {
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
  record Means(FenceLooks fences, MetadataCopies copies, Opening opening, StorageOwners owners) {}

  /**
   * Has a copy made of a device that is fenced, before and behind that.
   *
   * @throws IOException that says why there is none
   */
  static FencedVolume open(Path node, Means means) throws IOException, FallbackException {
    means.copies().requireAble(); // first: without rights the device would say less of what to do
    FenceLooks.Answer answer = means.fences().look(node);
    StandingFence fence = answer.fence();
    if (fence == null) {
      throw new IOException(answer.trouble());
    }
    MetadataCopies.Copy copy = means.copies().of(node);
    boolean stands = false;
    try {
      FencedVolume made =
          new FencedVolume(
              node, means.fences(), fence, means.opening().open(node), copy, means.owners());
      made.requireStanding();
      stands = true;
      return made;
    } finally {
      if (!stands) {
        copy.close();
      }
    }
  }

  /** A replica in it. */
  record Replica(
      long blockLength, ExtentList blockExtents, ExtentList metaExtents, ChecksumSpec checksum) {}

  List<CopiedStorages.Found> storages() {
    return storages.found();
  }

  /** Where in it no storages were looked for, and why. */
  List<String> skipped() {
    return storages.skipped();
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
   * @throws FallbackException LEASE_EXPIRED; DEVICE_TIMEOUT or INTERRUPTED, which say nothing of
   *     the fence: a later call asks anew
   */
  void requireStanding() throws FallbackException {
    if (lost == null) {
      judge(fences.look(node));
    }
    String why = lost;
    if (why != null) {
      throw new FallbackException(FallbackReason.LEASE_EXPIRED, why);
    }
  }

  /**
   * As {@link #requireStanding}, but nobody waits for it; what is to be done then is done there.
   */
  void look(Executor threads, Runnable then) {
    looking.begin(
        threads,
        () -> {
          try {
            requireStanding();
          } catch (FallbackException e) {
            // Whoever reads learns that.
          }
          then.run();
        });
  }

  private void judge(FenceLooks.Answer answer) {
    StandingFence now = answer.fence();
    if (now == null) {
      lost = answer.trouble();
    } else if (!now.equals(fence)) {
      lost =
          node
              + ": it was fenced anew or written to since its metadata was copied: "
              + fence
              + ", and now "
              + now;
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
