// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Files as any file system has them, and places for them that nobody looks at. */
final class PlainSlotFiles implements SlotFiles {
  static final int UNIT = 4096;

  /** Pages of each file that the kernel seems to keep. */
  volatile int cached;

  /** How many extents each file seems to have. */
  volatile int extents = 2;

  /** The first one, on the device. */
  volatile long place = 1L << 20;

  volatile boolean hasJournal = true;

  /** Whether the kernel does not say which of both. */
  volatile boolean hidesJournal;

  volatile boolean deviceWritesZeroes;

  /** What the next try to have the device do that fails with; null: it does not. */
  volatile @Nullable String zeroesFail;

  /** Whether each later one fails with it, too. */
  volatile boolean zeroesFailAlways;

  /** Whether the kernel does not say who has a file open. */
  volatile boolean isSilent;

  /** Told of a file whose pages are to be dropped, as of each that a start finds in the pool. */
  volatile Consumer<Path> beforeDrop = file -> {};

  private final Set<Object> open = ConcurrentHashMap.newKeySet();
  final AtomicInteger zeroesTried = new AtomicInteger();

  /** How often a file was opened to be written to past the cache. */
  final AtomicInteger openedToWrite = new AtomicInteger();

  /** How often one was cut and synced. */
  final AtomicInteger cuts = new AtomicInteger();

  /** Files whose inodes were synced, each with how many names it had by then. */
  final List<String> syncedInodes = new CopyOnWriteArrayList<>();

  @Override
  public FileChannel open(Path file, OpenOption... options) throws IOException {
    if (Arrays.asList(options).contains(StandardOpenOption.WRITE)) {
      openedToWrite.incrementAndGet();
    }
    return FileChannel.open(file, options);
  }

  @Override
  public int unit(Path folder) {
    return UNIT;
  }

  @Override
  public boolean hasJournal(DeviceIdentity device) throws IOException {
    if (hidesJournal) {
      throw new FileSystemException(device.name(), null, "by the test");
    }
    return hasJournal;
  }

  @Override
  public boolean tryWriteZeroes(Path file, long length) throws IOException {
    zeroesTried.incrementAndGet();
    String failure = zeroesFail;
    if (failure != null) {
      zeroesFail = zeroesFailAlways ? failure : null;
      throw new FileSystemException(file.toString(), null, failure);
    }
    if (deviceWritesZeroes) {
      allocate(file, length);
    }
    return deviceWritesZeroes;
  }

  @Override
  public void allocate(Path file, long length) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(length);
    }
  }

  @Override
  public ExtentList extents(Path file, long length) throws IOException, FallbackException {
    if (Files.size(file) < length) {
      throw new FallbackException(FallbackReason.EXTENTS_UNMAPPABLE, "hole in " + file);
    }
    // By inode: its places are its own as long as it lives.
    long base = place + Math.floorMod(key(file).hashCode(), 1 << 10) * (1L << 24);
    long[] physical = new long[extents];
    long[] lengths = new long[extents];
    for (int i = 0; i < extents; i++) {
      physical[i] = base + 2L * i * UNIT;
      lengths[i] = i < extents - 1 ? UNIT : length - (long) i * UNIT;
    }
    return ExtentList.of(physical, lengths);
  }

  @Override
  public ExtentList allocated(Path file, long length) throws IOException, FallbackException {
    return extents(file, length);
  }

  /** As somebody does who reads by it for a long time, whatever becomes of its name. */
  void openForLong(Path file) throws IOException {
    open.add(key(file));
  }

  private static Object key(Path file) throws IOException {
    return Objects.requireNonNull(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
  }

  @Override
  public void cut(Path file, long length) throws IOException {
    cuts.incrementAndGet();
    DurableFiles.cut(file, length);
  }

  @Override
  public void syncInode(Path file) throws IOException {
    syncedInodes.add(file + ": " + SlotMaker.linksOf(file));
    DurableFiles.syncFile(file);
  }

  @Override
  public void dropPages(Path file) {
    beforeDrop.accept(file);
  }

  @Override
  public int pagesLeft(Path file, long length) {
    return cached;
  }

  @Override
  public int cachedPages(Path file, long length) {
    return cached;
  }

  @Override
  public boolean isOpen(Path file) throws IOException {
    if (isSilent) {
      throw new IOException("no leases on " + file);
    }
    return open.contains(key(file));
  }
}
