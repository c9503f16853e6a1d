// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.exclusive.wire.EvictedBlocks;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps runs of evicted blocks until the storage agent takes them, and sends them in batches. While
 * it is away or slow the newest are kept, as many as there is room for; the oldest are lost and
 * counted. What was freed or moved meanwhile is not sent: see {@link ExtentEpochs}. Not
 * thread-safe.
 */
final class EvictionSender implements BlockRunSink {
  /** A batch of scattered blocks is some 40 KiB then. */
  static final int RUNS_PER_BATCH = 8192;

  private final RunBuffer buffer;
  private final ExtentEpochs epochs;
  private final EvictionCounters counters;
  private final Map<Integer, BatchEncoder> encoders = new LinkedHashMap<>();

  /** What is to be known of a device when a batch is made. */
  interface Devices {
    /** The device of an index, or null if it is not traced any more. */
    @Nullable TracedDevice at(int index);
  }

  /**
   * @param capacity runs that are kept
   */
  EvictionSender(int capacity, ExtentEpochs epochs, EvictionCounters counters) {
    this.buffer = new RunBuffer(capacity);
    this.epochs = epochs;
    this.counters = counters;
  }

  @Override
  public void run(int device, long first, int blocks, int slot, int epoch) {
    counters.lostBlocks.add(buffer.add(device, first, blocks, slot, epoch));
  }

  /**
   * Sends the oldest of what is kept, a batch for each device, if the agent takes it now.
   *
   * @return whether it did
   */
  boolean sendBatch(StorageLink link, Devices devices) {
    if (buffer.isEmpty() || !link.isReady()) {
      return false;
    }
    for (int i = 0; i < RUNS_PER_BATCH && !buffer.isEmpty(); i++) {
      buffer.take(
          (index, first, blocks, slot, epoch) ->
              encode(devices.at(index), index, first, blocks, slot, epoch));
    }
    encoders.forEach((index, encoder) -> send(link, devices.at(index), encoder));
    return true;
  }

  private void encode(
      @Nullable TracedDevice device, int index, long first, int blocks, int slot, int epoch) {
    if (device == null) {
      counters.lostBlocks.add(blocks);
    } else if (epochs.epoch(slot) != epoch) {
      counters.staleBlocks.add(blocks);
    } else {
      encoders
          .computeIfAbsent(index, i -> new BatchEncoder(device.segmentBlocks()))
          .add(first, blocks);
    }
  }

  private void send(StorageLink link, @Nullable TracedDevice device, BatchEncoder encoder) {
    if (device != null && !encoder.isEmpty()) {
      EvictedBlocks batch = encoder.encode(device.cached().getDevice());
      (link.send(batch) ? counters.sentBlocks : counters.lostBlocks).add(encoder.encodedBlocks());
    }
  }

  /** To be told before another device is traced under an index. */
  void forget(int index) {
    encoders.remove(index);
  }

  /** Runs that are kept. */
  int kept() {
    return buffer.size();
  }
}
