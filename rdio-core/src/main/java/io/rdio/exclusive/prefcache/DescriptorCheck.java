// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.exclusive.wire.EvictedBlocks;
import java.util.List;

/** Makes sense of a batch of descriptors, or refuses it as a whole before any of it is used. */
final class DescriptorCheck {
  /** Blocks that one batch may name: KTracer's has up to 8192 runs, and a run 4096 blocks. */
  static final int MAX_BLOCKS = 1 << 25;

  /** Told of the runs of a batch that makes sense. */
  @FunctionalInterface
  interface RunConsumer {
    void accept(long firstBlock, int blocks);
  }

  private final SegmentGeometry geometry;
  private final List<StorageDevice> devices;

  /**
   * @param devices by their numbers
   */
  DescriptorCheck(SegmentGeometry geometry, List<StorageDevice> devices) {
    this.geometry = geometry;
    this.devices = List.copyOf(devices);
  }

  /** Size of a device in blocks; a last one that is not whole does not count. */
  long blocks(StorageDevice device) {
    return device.sizeBytes() / geometry.blockBytes();
  }

  /**
   * Goes through a batch.
   *
   * @return the number of blocks that it names
   * @throws IllegalArgumentException with what is wrong with it; the consumer may have been told of
   *     runs in front of that
   */
  int forEach(EvictedBlocks batch, RunConsumer runs) {
    int device = batch.getDevice();
    require(
        device >= 0 && device < devices.size(),
        "device "
            + Integer.toUnsignedString(device)
            + " is not one of the "
            + devices.size()
            + " that are cached here");
    int lengths = batch.getMoreBlocksCount();
    require(
        lengths == 0 || lengths == batch.getStartsCount(),
        batch.getStartsCount() + " runs and the lengths of " + lengths);
    long most = blocks(devices.get(device));
    long end = 0;
    int named = 0;
    for (int i = 0; i < batch.getStartsCount(); i++) {
      long gap = batch.getStarts(i);
      long blocks =
          lengths == 0
              ? geometry.segmentBlocks()
              : Integer.toUnsignedLong(batch.getMoreBlocks(i)) + 1;
      require(
          gap >= 0 && gap <= most && end + gap + blocks <= most,
          "run " + i + " reaches beyond the " + most + " blocks of device " + device);
      long start = end + gap;
      require(
          lengths > 0 || start % geometry.segmentBlocks() == 0,
          "run " + i + " at block " + start + " is no segment of " + geometry.segmentBlocks());
      require(named + blocks <= MAX_BLOCKS, "more than " + MAX_BLOCKS + " blocks in one batch");
      runs.accept(start, (int) blocks);
      named += (int) blocks;
      end = start + blocks;
    }
    return named;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }
}
