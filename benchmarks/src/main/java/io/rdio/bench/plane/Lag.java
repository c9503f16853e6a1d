// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.client.plane.device.MeasuredStorage;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Inode;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How late readers find a block that the writer has committed. For one thread, which is writer and
 * reader, so that the commit has ended when the first look begins.
 */
final class Lag {
  /** The home locations are looked at so often; no lag of theirs is told more finely. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final PlaneVolume volume;
  private final CountedDevice device;
  private final long waitNanos;
  private final Tally overlay = new Tally();
  private final Tally home = new Tally();
  private int mostTries;
  private int blocksByOverlay;
  private int blocksByHome;

  /**
   * What came of it.
   *
   * @param blocksByOverlay that were committed and looked for through the journal
   * @param overlay those of them that were found: from the commit to the end of the resolve
   * @param mostTries resolves that one of them took at most
   * @param blocksByHome that were committed and looked for at their home locations
   * @param home those of them that were found
   */
  record Figures(
      double waitSeconds,
      int blocksByOverlay,
      Tally overlay,
      int mostTries,
      int blocksByHome,
      Tally home) {}

  /**
   * @param waitNanos that a block is looked for at most
   */
  Lag(PlaneVolume volume, CountedDevice device, long waitNanos) {
    this.volume = volume;
    this.device = device;
    this.waitNanos = waitNanos;
  }

  /** Commits a block and resolves it, as the plane does, until that succeeds. */
  void byOverlay(MeasuredStorage storage, BlockKey block) throws IOException {
    volume.createDurably(block);
    long committed = System.nanoTime();
    long readsBefore = device.reads();
    blocksByOverlay++;
    for (int tries = 1; ; tries++) {
      boolean found = isFound(storage, block);
      long took = System.nanoTime() - committed;
      mostTries = Math.max(mostTries, tries);
      if (found) {
        overlay.add(took, device.reads() - readsBefore);
      }
      if (found || took > waitNanos) {
        return;
      }
    }
  }

  /** Any refusal will do: the block is there, and it is not found. */
  private static boolean isFound(MeasuredStorage storage, BlockKey block) {
    try {
      return storage.resolve(block, step -> {}) == PlaneVolume.BLOCK_BYTES;
    } catch (FallbackException e) {
      return false;
    }
  }

  /** Commits blocks and looks for all of them where only the home locations are read. */
  void byHome(List<BlockKey> blocks) throws IOException {
    Map<BlockKey, Long> pending = new LinkedHashMap<>();
    for (BlockKey block : blocks) {
      volume.createDurably(block);
      pending.put(block, System.nanoTime());
    }
    blocksByHome += blocks.size();
    while (!pending.isEmpty()) {
      Iterator<Map.Entry<BlockKey, Long>> each = pending.entrySet().iterator();
      while (each.hasNext()) {
        Map.Entry<BlockKey, Long> next = each.next();
        long readsBefore = device.reads();
        boolean found = isAtHome(next.getKey());
        long took = System.nanoTime() - next.getValue();
        if (found) {
          home.add(took, device.reads() - readsBefore);
        }
        if (found || took > waitNanos) {
          each.remove();
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private boolean isAtHome(BlockKey block) throws IOException {
    try {
      Ext4Volume now = Ext4Volume.open(device);
      Inode file = now.resolve(PlaneVolume.path(block));
      return file.size() == PlaneVolume.BLOCK_BYTES
          && now.extents(file).stream().anyMatch(extent -> !extent.unwritten());
    } catch (Ext4Exception e) {
      if (e.kind() == Ext4Exception.Kind.IO) {
        throw new IOException(e);
      }
      return false; // it is not there yet, or was met on its way
    }
  }

  Figures figures() {
    return new Figures(waitNanos / 1e9, blocksByOverlay, overlay, mostTries, blocksByHome, home);
  }
}
