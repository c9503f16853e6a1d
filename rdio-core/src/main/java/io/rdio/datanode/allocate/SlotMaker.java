// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes slots of one volume, and makes them free: written from end to end, mapped, stamped, with no
 * page of them cached, and durably in the pool (W1). For one thread at a time.
 */
final class SlotMaker {
  private static final Logger LOG = LoggerFactory.getLogger(SlotMaker.class);
  private static final int PIECE = 1 << 20;

  /** So often in a row a device may fail to write zeros before a slot's are written instead. */
  private static final int FAILURES_MAX = 3;

  private final SlotDirectory directory;
  private final SlotFiles files;
  private final SlotStamps stamps;
  private final int unit;
  private final LongSupplier random;
  private volatile boolean byDevice = true; // until it is known that it cannot be; not if it fails
  private volatile boolean worked;

  /** Of the device, in a row. */
  private final AtomicInteger failures = new AtomicInteger();

  /** Whether the device made the zeros of the last slot. */
  private volatile boolean madeByDevice;

  /**
   * @param random numbers that nobody had before
   */
  SlotMaker(SlotDirectory directory, SlotFiles files, int unit, LongSupplier random) {
    this.directory = directory;
    this.files = files;
    this.stamps = new SlotStamps(files, unit);
    this.unit = unit;
    this.random = random;
  }

  /**
   * A new slot of the pool.
   *
   * @param bytes whole units
   * @throws FallbackException EXTENTS_UNMAPPABLE where the file system gave it no place that serves
   */
  Slot make(long bytes) throws IOException, FallbackException {
    long number = random.getAsLong();
    Path file = directory.making(number);
    boolean made = false;
    try {
      Files.createFile(file);
      boolean written = writtenByDevice(file, bytes);
      madeByDevice = written;
      if (!written) {
        writeZeros(file, bytes);
      }
      Slot slot = free(file, number, bytes);
      made = true;
      return slot;
    } finally {
      if (!made) {
        Files.deleteIfExists(file);
      }
    }
  }

  private boolean writtenByDevice(Path file, long bytes) throws IOException {
    if (!byDevice) {
      return false;
    }
    boolean tried;
    try {
      tried = files.tryWriteZeroes(file, bytes);
      failures.set(0);
    } catch (IOException e) {
      if (failures.incrementAndGet() < FAILURES_MAX) {
        throw e;
      }
      // It says that it can, and may do so again: it is tried for the next slot, too.
      LOG.warn("FALLOC_FL_WRITE_ZEROES fails, so zeros are written to {}: {}", file, e.toString());
      return false;
    }
    if (tried) {
      try {
        files.extents(file, bytes);
        worked = true;
        return true;
      } catch (FallbackException e) {
        LOG.info("FALLOC_FL_WRITE_ZEROES leaves unwritten extents in {}: {}", file, e.detail());
      }
    }
    byDevice = false;
    LOG.info("Slots beside {} are made of zeros that are written by O_DIRECT", file);
    return false;
  }

  /** Whether the device itself made those of the last {@link #make}; else zeros were written. */
  boolean isByDevice() {
    return madeByDevice;
  }

  /** Whether it is known that slots cost no zeros here. May be asked by any thread. */
  boolean isKnownByDevice() {
    return worked && byDevice && failures.get() < FAILURES_MAX;
  }

  /** Behind it the file is to be synced, as {@link #free} does. */
  private void writeZeros(Path file, long bytes) throws IOException, FallbackException {
    files.allocate(file, bytes);
    // Before they cross the fabric, as they would at each try on a volume that is in pieces.
    requireServes(file, files.allocated(file, bytes), bytes);
    ByteBuffer zeros = SlotStamps.aligned(PIECE, unit);
    try (FileChannel channel = files.open(file, StandardOpenOption.WRITE)) {
      long at = 0;
      while (at < bytes) {
        zeros.clear().limit((int) Math.min(PIECE, bytes - at));
        at += channel.write(zeros, at);
      }
    }
  }

  /**
   * Gives a file to the pool that others may have opened, behind its quarantine, under a new nonce.
   *
   * @param bytes of the file
   * @throws FallbackException EXTENTS_UNMAPPABLE if it is not one that serves as a slot, or may
   *     still be open; then it is where it was
   */
  Slot reuse(Path file, long number, long bytes) throws IOException, FallbackException {
    check(!mayBeOpen(file), file, "is open somewhere");
    return free(file, number, bytes);
  }

  private boolean mayBeOpen(Path file) {
    try {
      return files.isOpen(file);
    } catch (IOException e) {
      LOG.warn("It cannot be told whether {} is open, so it is no slot any more", file, e);
      return true;
    }
  }

  /**
   * Gives a written file to the pool that had no name but in folders of ours, under a new nonce.
   *
   * @param bytes of the file
   * @throws FallbackException EXTENTS_UNMAPPABLE if it is not one that serves as a slot; then it is
   *     where it was
   */
  Slot free(Path file, long number, long bytes) throws IOException, FallbackException {
    check(Files.size(file) == bytes && linksOf(file) == 1, file, "is not a whole slot");
    DurableFiles.syncFile(file);
    files.dropPages(file);
    Slot slot = new Slot(number, random.getAsLong(), bytes, mapped(file, bytes));
    WriteFaultInjector.get().beforeStamp(file);
    stamps.write(file, slot);
    checkUncached(file, bytes);
    WriteFaultInjector.get().beforePool(file);
    directory.toPool(file, slot);
    return slot;
  }

  /**
   * A slot that an earlier incarnation left in the pool.
   *
   * @throws FallbackException EXTENTS_UNMAPPABLE if it does not serve any more
   */
  Slot found(SlotDirectory.Pooled pooled) throws IOException, FallbackException {
    Path file = pooled.file();
    check(Files.size(file) == pooled.bytes() && linksOf(file) == 1, file, "is not a whole slot");
    files.dropPages(file);
    Slot slot =
        new Slot(pooled.number(), pooled.nonce(), pooled.bytes(), mapped(file, pooled.bytes()));
    check(stamps.areThere(file, slot), file, "has not its stamps");
    checkUncached(file, pooled.bytes());
    return slot;
  }

  /** Where a slot lies, by the rules for slots. */
  ExtentList mapped(Path file, long bytes) throws IOException, FallbackException {
    ExtentList extents = files.extents(file, bytes);
    requireServes(file, extents, bytes);
    return extents;
  }

  private void requireServes(Path file, ExtentList extents, long bytes) throws FallbackException {
    check(
        extents.count() <= WriteRoom.EXTENTS_MAX && extents.length() == bytes,
        file,
        "has " + extents.count() + " extents of " + extents.length() + " bytes");
    for (int i = 0; i < extents.count(); i++) {
      check(
          ((extents.physical(i) | extents.start(i) | extents.end(i)) & (unit - 1)) == 0,
          file,
          "has an extent that is not of whole units of " + unit + " bytes: " + extents);
    }
  }

  private void checkUncached(Path file, long bytes) throws IOException, FallbackException {
    int cached = files.cachedPages(file, bytes);
    check(cached == 0, file, "has " + cached + " pages in the cache");
  }

  /** How many names a file has. */
  static int linksOf(Path file) throws IOException {
    return (Integer) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS);
  }

  private static void check(boolean ok, Path file, String what) throws FallbackException {
    if (!ok) {
      throw new FallbackException(FallbackReason.EXTENTS_UNMAPPABLE, file + " " + what);
    }
  }
}
