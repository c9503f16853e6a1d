// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import com.sun.nio.file.ExtendedOpenOption;
import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.DurableFiles;
import io.rdio.core.linux.Ext4Options;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.linux.FilePages;
import io.rdio.core.linux.FileUse;
import io.rdio.datanode.volume.ExtentMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The kernel's own answers. */
final class KernelSlotFiles implements SlotFiles {
  private final ExtentMapper mapper;
  private final Ext4Options ext4 = new Ext4Options();

  KernelSlotFiles(ExtentMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public FileChannel open(Path file, OpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
    all.add(ExtendedOpenOption.DIRECT);
    return FileChannel.open(file, all);
  }

  @Override
  public int unit(Path folder) throws IOException {
    return Math.toIntExact(Files.getFileStore(folder).getBlockSize());
  }

  /** {@inheritDoc} xfs always has one, and only ext4 may be without. */
  @Override
  public boolean hasJournal(DeviceIdentity device) throws IOException {
    return !device.fsType().equals("ext4") || ext4.hasJournal(device);
  }

  @Override
  public boolean tryWriteZeroes(Path file, long length) throws IOException {
    return FilePages.tryWriteZeroes(file, length);
  }

  @Override
  public void allocate(Path file, long length) throws IOException {
    DurableFiles.allocate(file, 0, length);
  }

  @Override
  public ExtentList extents(Path file, long length) throws IOException, FallbackException {
    return mapper.extents(file, length);
  }

  @Override
  public ExtentList allocated(Path file, long length) throws IOException, FallbackException {
    return Fiemap.allocated(file, length);
  }

  @Override
  public void cut(Path file, long length) throws IOException {
    DurableFiles.cut(file, length);
  }

  @Override
  public void syncInode(Path file) throws IOException {
    DurableFiles.syncFile(file);
  }

  @Override
  public void dropPages(Path file) throws IOException {
    FilePages.drop(file);
  }

  @Override
  public int pagesLeft(Path file, long length) throws IOException {
    return FilePages.dropAndCount(file, length);
  }

  @Override
  public int cachedPages(Path file, long length) throws IOException {
    return FilePages.cached(file, length);
  }

  @Override
  public boolean isOpen(Path file) throws IOException {
    return FileUse.isOpen(file);
  }
}
