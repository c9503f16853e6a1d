// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Ext4Exception;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A device that acknowledges writes which are in its cache only. When its power is cut it has any
 * of their sectors, and none of the others. For one thread.
 */
final class CachingDevice {
  private static final int SECTOR = 512;

  private final byte[] durable;
  private final byte[] shown;

  /** As {@code durable} but while a cut is looked at. */
  private final byte[] left;

  private final boolean flushes;
  private final Random random;
  private final List<Sector> cached = new ArrayList<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Sector(int at, byte[] bytes) {}

  /** Looks at what a cut leaves; the bytes are good for this call. */
  @FunctionalInterface
  interface Cut {
    void at(byte[] left) throws Ext4Exception;
  }

  /**
   * @param flushes whether it does; if not, barriers are as other writes
   */
  CachingDevice(byte[] start, boolean flushes, Random random) {
    this.durable = start.clone();
    this.shown = start.clone();
    this.left = start.clone();
    this.flushes = flushes;
    this.random = random;
  }

  /** What readers are shown as long as it has power; of a write under way any of its sectors. */
  byte[] shown() {
    return shown;
  }

  /**
   * Takes a write, and has two cuts looked at: one in front of it, and one while it is under way.
   */
  void take(MadeUpLog.Write write, Cut before, Cut within) throws Ext4Exception {
    cut(cached, before);
    boolean barrier = write.barrier() && flushes;
    if (barrier) {
      cached.forEach(this::keep);
      cached.clear();
    }
    List<Sector> sectors = sectors(write);
    some(sectors).forEach(sector -> put(sector, shown));
    List<Sector> mayBeLost = new ArrayList<>(cached);
    mayBeLost.addAll(sectors);
    cut(mayBeLost, within);
    sectors.forEach(sector -> put(sector, shown));
    if (barrier) {
      sectors.forEach(this::keep);
    } else {
      cached.addAll(sectors);
    }
  }

  private static List<Sector> sectors(MadeUpLog.Write write) {
    List<Sector> sectors = new ArrayList<>();
    for (int from = 0; from < write.bytes().length; from += SECTOR) {
      byte[] bytes = Arrays.copyOfRange(write.bytes(), from, from + SECTOR);
      sectors.add(new Sector((int) write.at() + from, bytes));
    }
    return sectors;
  }

  private void cut(List<Sector> mayBeLost, Cut cut) throws Ext4Exception {
    List<Sector> kept = some(mayBeLost);
    kept.forEach(sector -> put(sector, left));
    cut.at(left);
    kept.forEach(sector -> System.arraycopy(durable, sector.at(), left, sector.at(), SECTOR));
  }

  /** Each, none, or any of them, in their order. */
  private List<Sector> some(List<Sector> all) {
    int how = random.nextInt(4);
    return all.stream().filter(sector -> how > 1 ? random.nextBoolean() : how == 1).toList();
  }

  private void keep(Sector sector) {
    put(sector, durable);
    put(sector, left);
  }

  private static void put(Sector sector, byte[] to) {
    System.arraycopy(sector.bytes(), 0, to, sector.at(), SECTOR);
  }
}
