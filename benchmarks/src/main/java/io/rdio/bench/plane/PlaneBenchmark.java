// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.device.MeasuredStorage;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.BootTimeClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Makes a volume and measures what the device plane does with it. */
final class PlaneBenchmark {
  private static final int WARM_UP_ROUNDS = 5;
  private static final long SEED = 19;

  /** Of each round, through the journal. */
  private static final int LAGGING_BLOCKS = 20;

  private final Options options;
  private final PrintWriter out;
  private final DeviceCounters counters = new DeviceCounters();

  /** The next block that is new; those of the openings have a directory of their own. */
  private int next = PlaneVolume.IDS_IN_DIRECTORY;

  /**
   * What to measure.
   *
   * @param readers that look at once, the first of them one
   * @param seconds of looks, for each number of readers in each round
   * @param waitSeconds for a block at its home location
   * @param latencyMicros that each read of the device waits besides
   */
  record Options(
      int rounds, List<Integer> readers, double seconds, double waitSeconds, int latencyMicros) {
    Options {
      readers = List.copyOf(readers);
    }
  }

  PlaneBenchmark(Options options, PrintWriter out) {
    this.options = options;
    this.out = out;
  }

  PlaneFindings run() throws IOException {
    say("Making an ext4 file system with %d blocks...", Openings.BLOCKS);
    try (PlaneVolume volume = new PlaneVolume()) {
      for (int i = 0; i < Openings.BLOCKS; i++) {
        volume.create(Openings.present(i));
      }
      volume.writeBack();
      CountedDevice device =
          new CountedDevice(
              volume.device(), TimeUnit.MICROSECONDS.toNanos(options.latencyMicros()));
      return measure(volume, device);
    }
  }

  private PlaneFindings measure(PlaneVolume volume, CountedDevice device) throws IOException {
    Tally search = new Tally();
    MeasuredStorage storage = find(device, search);
    say("Warming up...");
    Lag lag = new Lag(volume, device, (long) (options.waitSeconds() * 1e9));
    Openings openings = new Openings(storage, device, SEED);
    Openings warmUp = new Openings(storage, device, SEED);
    List<Looks> looks = new ArrayList<>();
    for (int i = 0; i < WARM_UP_ROUNDS; i++) {
      warmUp.round();
    }
    for (int readers : options.readers()) {
      new Looks(readers).run(storage, device, counters, options.seconds());
      looks.add(new Looks(readers));
    }
    for (int round = 1; round <= options.rounds(); round++) {
      say("Round %d of %d...", round, options.rounds());
      openings.round();
      for (Looks each : looks) {
        each.run(storage, device, counters, options.seconds());
      }
      for (BlockKey block : fresh(LAGGING_BLOCKS)) {
        lag.byOverlay(storage, block);
      }
    }
    say("Waiting up to %.1f s for home locations...", options.waitSeconds());
    lag.byHome(fresh(options.rounds()));
    return new PlaneFindings(
        search, lag.figures(), looks.stream().map(Looks::figures).toList(), openings.steps());
  }

  private MeasuredStorage find(CountedDevice device, Tally search) throws IOException {
    try {
      long begun = System.nanoTime();
      MeasuredStorage storage =
          MeasuredStorage.find(device, new StorageOwners(Set.of()), new BootTimeClock(), counters);
      search.add(System.nanoTime() - begun, device.reads());
      return storage;
    } catch (FallbackException e) {
      throw new IOException("the storage was not found: " + e.getMessage(), e);
    }
  }

  private List<BlockKey> fresh(int count) {
    List<BlockKey> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(PlaneVolume.key(next++));
    }
    return blocks;
  }

  private void say(String format, Object... values) {
    out.printf(format + "%n", values);
    out.flush();
  }
}
