// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.characterize.CharacterizeBenchmark.Operation;
import io.rdio.bench.characterize.CharacterizeBenchmark.Pattern;
import io.rdio.bench.characterize.CharacterizeBenchmark.Placement;
import io.rdio.bench.hdfs.Way;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One run of the experiment.
 *
 * @param repeat from 1 on
 */
record Run(Cell cell, Way way, int repeat) {
  static final List<Way> READERS = List.of(Way.STOCK, Way.RDIO, Way.AGENT);

  /** A client by itself does not write by RDIO. */
  static final List<Way> WRITERS = List.of(Way.STOCK, Way.AGENT);

  /**
   * All runs in random order: reads, which are a full factorial design, and then writes, which are
   * another one: HDFS writes files from start to end only. Behind the reads, for what was written
   * is deleted some time later, while others would be measured.
   */
  static List<Run> inRandomOrder(
      List<String> schedulers, List<Integer> tasks, int repeats, long seed) {
    List<Run> runs = new ArrayList<>();
    List<Run> writes = new ArrayList<>();
    for (Placement placement : Placement.values()) {
      for (String scheduler : schedulers) {
        for (int count : tasks) {
          for (int repeat = 1; repeat <= repeats; repeat++) {
            for (Pattern pattern : Pattern.values()) {
              Cell read = new Cell(placement, scheduler, count, pattern, Operation.READ);
              for (Way way : READERS) {
                runs.add(new Run(read, way, repeat));
              }
            }
            Cell write = new Cell(placement, scheduler, count, Pattern.SEQUENTIAL, Operation.WRITE);
            for (Way way : WRITERS) {
              writes.add(new Run(write, way, repeat));
            }
          }
        }
      }
    }
    Random random = new Random(seed);
    Collections.shuffle(runs, random);
    Collections.shuffle(writes, random);
    runs.addAll(writes);
    return runs;
  }
}
