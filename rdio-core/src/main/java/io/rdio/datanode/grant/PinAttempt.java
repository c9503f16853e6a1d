// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.Witness;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.MetaHeader;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.PinnedFiles;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** One block on its way to being pinned, step by step. Confined to the thread that pins it. */
final class PinAttempt {
  private final Claim claim;
  private final BlockKey block;
  private final Replica replica;
  private final Volume volume;
  private final PinnedFiles files;
  private boolean over;

  /** For a replica that was found, and for which a place is reserved. */
  PinAttempt(Claim claim, Replica replica, Volume volume) {
    this.claim = claim;
    this.block = claim.block();
    this.replica = replica;
    this.volume = volume;
    this.files = volume.directory().files(block);
  }

  /** First step: links the files. */
  void link() throws FallbackException, IOException {
    GrantFaultInjector.get().beforeLink(block);
    try {
      PinDirectory.link(replica, files);
    } catch (NoSuchFileException e) {
      throw changed(e.getFile() + " is gone, or the pin directory on that volume");
    }
    GrantFaultInjector.get().afterLink(block);
  }

  /** Second step: makes the files durable; the links are, once the volume is sealed. */
  void sync() throws IOException {
    GrantFaultInjector.get().beforeSync(block);
    PinDirectory.syncFiles(files);
  }

  /** Nothing of it is to be undone any more: it was, or the lease table has it. */
  void end() {
    over = true;
  }

  boolean isOver() {
    return over;
  }

  Claim claim() {
    return claim;
  }

  Volume volume() {
    return volume;
  }

  PinnedFiles files() {
    return files;
  }

  /** Third step, when files and links are durable: is what was linked still the replica? */
  Object recheck(ReplicaSource source) throws FallbackException, IOException {
    GrantFaultInjector.get().afterSync(block);
    Replica now = source.find(block);
    if (!now.equals(replica)) {
      throw changed("was " + replica + ", is " + now);
    }
    Object inode = sameInode(files.block(), replica.blockFile());
    sameInode(files.meta(), replica.metaFile());
    long size = Files.size(files.block());
    if (size != replica.length()) {
      throw changed(replica.blockFile() + " has " + size + " bytes, not " + replica.length());
    }
    GrantFaultInjector.get().afterRecheck(block);
    return inode;
  }

  /** The file key that both names share. */
  private static Object sameInode(Path link, Path original) throws FallbackException, IOException {
    Object linked = fileKey(link);
    if (linked == null || !linked.equals(fileKey(original))) {
      throw changed(original + " is not the file that was linked as " + link);
    }
    return linked;
  }

  /** Device and inode of a file, or null when there is no such file. */
  static @Nullable Object fileKey(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Fourth step: where the linked files lie.
   *
   * @param witness written after the files were made durable
   */
  Pin map(ExtentMapper mapper, Object inode, Witness witness)
      throws FallbackException, IOException {
    ChecksumSpec checksum = MetaHeader.read(files.meta());
    long metaLength = Files.size(files.meta());
    if (metaLength < checksum.metaLength(replica.length())) {
      throw changed(
          replica.metaFile()
              + " has "
              + metaLength
              + " bytes; "
              + checksum.metaLength(replica.length())
              + " are needed");
    }
    DeviceIdentity device = volume.device();
    PinnedMap map =
        new PinnedMap(
            block,
            replica.storageId(),
            device,
            witness,
            replica.length(),
            metaLength,
            extents(mapper, files.block(), replica.length(), device),
            extents(mapper, files.meta(), metaLength, device),
            checksum);
    return new Pin(map, replica, files, inode, volume);
  }

  private static ExtentList extents(
      ExtentMapper mapper, Path file, long length, DeviceIdentity device)
      throws FallbackException, IOException {
    if (length == 0) {
      return ExtentList.EMPTY;
    }
    ExtentList extents = mapper.extents(file, length);
    if (extents.length() < length || extents.physicalEnd() > device.sizeBytes()) {
      throw new FallbackException(
          FallbackReason.EXTENTS_UNMAPPABLE,
          file + " of " + length + " bytes on " + device + " has " + extents);
    }
    return extents;
  }

  private static FallbackException changed(String detail) {
    return new FallbackException(FallbackReason.REPLICA_CHANGED, detail);
  }
}
