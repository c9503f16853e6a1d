// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds the two files of a replica in a DataNode's storage directory. Only finalized ones: what is
 * in {@code rbw} or {@code tmp} is none. For one resolve, by one thread.
 */
final class ReplicaFiles {
  private final OpenVolume opened;
  private final BlockTrace trace;
  private final PathWalk walk;
  private final StorageOwners owners;

  ReplicaFiles(OpenVolume opened, BlockTrace trace, StorageOwners owners) {
    this.opened = opened;
    this.trace = trace;
    this.owners = owners;
    this.walk = new PathWalk(opened, trace);
  }

  /**
   * Both files, as they were found.
   *
   * @param blockLength bytes of the block file
   */
  record Found(
      Footprint footprint,
      long blockLength,
      ExtentList blockExtents,
      ExtentList metaExtents,
      ChecksumSpec checksum) {}

  /** A file of which all bytes have a place on the device. */
  private record Mapped(TracedFile traced, long size, ExtentList extents) {}

  /**
   * Finds a replica.
   *
   * @param storage the storage's directory, from the file system's root
   * @param ended told of each step when it has ended
   * @throws FallbackException EXTENTS_UNMAPPABLE, REPLICA_CHANGED, CHECKSUM_UNSUPPORTED,
   *     FILE_SYSTEM_UNSUPPORTED, STORAGE_UNSUPPORTED where somebody else may write to it, or
   *     REPLICA_NOT_FOUND for a pool id that is none
   */
  Found find(String storage, BlockKey block, Consumer<ResolveStep> ended)
      throws Ext4Exception, FallbackException {
    Inode directory = walk.root();
    for (String name : storage.split("/", -1)) {
      directory = name.isEmpty() ? directory : walk.child(directory, name);
    }
    for (String name : BlockPath.directory(block).split("/", -1)) {
      directory = trusted(walk.child(directory, name));
    }
    ended.accept(ResolveStep.PATH);
    Mapped data = map(directory, BlockPath.blockFile(block), ended);
    Mapped meta = map(directory, BlockPath.metaFile(block), ended);
    ChecksumSpec checksum = checksum(block, meta);
    ended.accept(ResolveStep.HEADER);
    MetaHeader.requireFit(block, checksum, data.size(), meta.size());
    return new Found(
        new Footprint(data.traced(), meta.traced()),
        data.size(),
        data.extents(),
        meta.extents(),
        checksum);
  }

  private Inode trusted(Inode inode) throws FallbackException {
    Optional<String> distrusted = owners.whyNotInside(inode);
    if (distrusted.isPresent()) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, distrusted.get());
    }
    return inode;
  }

  private Mapped map(Inode directory, String name, Consumer<ResolveStep> ended)
      throws Ext4Exception, FallbackException {
    Inode file = trusted(walk.child(directory, name));
    ended.accept(ResolveStep.INODES);
    Mapped mapped = map(file);
    ended.accept(ResolveStep.EXTENTS);
    return mapped;
  }

  private Mapped map(Inode file) throws Ext4Exception, FallbackException {
    if (file.isDataElsewhere()) {
      throw unmappable(file, "is encrypted, inline, journalled or has verity");
    }
    BlockTrace tree = new BlockTrace(trace);
    List<FileExtent> extents = opened.volume().mappedBy(tree).extents(file);
    return new Mapped(
        TracedFile.of(file, extents, tree.numbers()), file.size(), places(file, extents));
  }

  private ExtentList places(Inode file, List<FileExtent> extents) throws FallbackException {
    long blockSize = opened.volume().superblock().blockSize();
    long blocks = (file.size() + blockSize - 1) / blockSize;
    List<long[]> runs = new ArrayList<>();
    long end = 0;
    for (FileExtent extent : extents) {
      long length = Math.min(extent.length(), blocks - extent.logical());
      if (length <= 0) {
        break;
      }
      if (extent.logical() != end || extent.unwritten()) {
        throw unmappable(file, "has a hole or an unwritten extent in front of " + extent);
      }
      requireNotInLog(file, extent.physical(), length);
      end = extent.logical() + length;
      addRun(runs, extent.physical() * blockSize, length * blockSize);
    }
    if (end != blocks) {
      throw unmappable(file, "has no place for its last " + (blocks - end) + " blocks");
    }
    return ExtentList.of(
        runs.stream().mapToLong(run -> run[0]).toArray(),
        runs.stream().mapToLong(run -> run[1]).toArray());
  }

  private static void addRun(List<long[]> runs, long at, long bytes) {
    long[] last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
    if (last != null && last[0] + last[1] == at) {
      last[1] += bytes;
    } else {
      runs.add(new long[] {at, bytes});
    }
  }

  /** R5: data in the log means that the device is not where data is. */
  private void requireNotInLog(Inode file, long first, long count) throws FallbackException {
    if (opened.journal().hasAny(first, count)) {
      throw new FallbackException(
          FallbackReason.FILE_SYSTEM_UNSUPPORTED, "data of " + file + " is in the journal");
    }
  }

  private static FallbackException unmappable(Inode file, String what) {
    return new FallbackException(FallbackReason.EXTENTS_UNMAPPABLE, file + " " + what);
  }

  /** By the meta file's header, which is data and comes from the device (R5). */
  private ChecksumSpec checksum(BlockKey block, Mapped meta)
      throws Ext4Exception, FallbackException {
    MetaHeader.requireWhole(block, meta.size());
    int blockSize = opened.volume().superblock().blockSize();
    ByteBuffer header = opened.home().blocks().block(meta.extents().physical(0) / blockSize);
    return MetaHeader.parse(block, header);
  }
}
