// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.client.plane.device.MeasuredStorage;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Resolves the blocks of one directory in any order, with more and less of the metadata in memory.
 * For one thread.
 */
final class Openings {
  /** Of the directory's ids every other one: those between lead to the same blocks of it. */
  static final int BLOCKS = PlaneVolume.IDS_IN_DIRECTORY / 2;

  /** So many names that are not there bring every block of the directory into memory. */
  private static final int ABSENT = 32;

  /** What is in memory when a block is asked for. */
  enum Known {
    NOTHING("cold: nothing in memory", "cold"),
    DIRECTORIES("warm: its directories in memory", "warm"),
    ALL("again: all in memory", "again");

    final String label;
    final String field;

    Known(String label, String field) {
      this.label = label;
      this.field = field;
    }
  }

  private final MeasuredStorage storage;
  private final Random random;
  private final Map<Known, PlaneSteps> steps = new EnumMap<>(Known.class);

  Openings(MeasuredStorage storage, CountedDevice device, long seed) {
    this.storage = storage;
    this.random = new Random(seed);
    for (Known known : Known.values()) {
      steps.put(known, new PlaneSteps(System::nanoTime, device::reads));
    }
  }

  static BlockKey present(int index) {
    return PlaneVolume.key(2 * index);
  }

  private static BlockKey absent(int index) {
    return PlaneVolume.key(2 * index + 1);
  }

  /** Opens each block once in each of the states. */
  void round() throws IOException {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      order.add(i);
    }
    try {
      for (Map.Entry<Known, PlaneSteps> each : steps.entrySet()) {
        Collections.shuffle(order, random);
        for (int index : order) {
          prepare(each.getKey(), present(index));
          open(each.getValue(), present(index));
        }
      }
    } catch (FallbackException e) {
      throw new IOException("a block was not found: " + e.getMessage(), e);
    }
  }

  private void open(PlaneSteps taken, BlockKey block) throws FallbackException {
    taken.begin();
    storage.resolve(block, taken);
    taken.end();
  }

  private void prepare(Known known, BlockKey block) throws FallbackException {
    storage.forget();
    switch (known) {
      case NOTHING -> {}
      case DIRECTORIES -> {
        for (int i = 0; i < ABSENT; i++) {
          askInVain(absent(random.nextInt(BLOCKS)));
        }
      }
      case ALL -> storage.resolve(block, step -> {});
    }
  }

  private void askInVain(BlockKey block) throws FallbackException {
    try {
      storage.resolve(block, step -> {});
    } catch (FallbackException e) {
      if (e.reason() != FallbackReason.REPLICA_NOT_FOUND) {
        throw e;
      }
    }
  }

  Map<Known, PlaneSteps> steps() {
    return steps;
  }
}
