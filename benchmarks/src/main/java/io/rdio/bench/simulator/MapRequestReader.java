// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Reads which blocks' maps were asked for, of the flight recording of a client or an agent. */
final class MapRequestReader {
  /** As rdio-core names it. */
  static final String EVENT = "io.rdio.FileMapRequest";

  /** What has N of blk_N. */
  static final String BLOCK = "block";

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** Numbers only: there are millions of them. */
  private record Request(long epochNanos, long block) {}

  private MapRequestReader() {}

  /**
   * Blocks in the order in which they were asked for; other events are passed over.
   *
   * @throws IllegalArgumentException if the file is no flight recording
   */
  static long[] read(Path file) {
    List<Request> requests = new ArrayList<>();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals(EVENT)) {
          requests.add(new Request(epochNanos(event.getStartTime()), event.getLong(BLOCK)));
        }
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          file + " is no flight recording, or cut off: " + e.getMessage(), e);
    }
    // A recording has each thread's in their order, and the threads in any.
    requests.sort(Comparator.comparingLong(Request::epochNanos));
    return requests.stream().mapToLong(Request::block).toArray();
  }

  /** Good until the year 2262. */
  private static long epochNanos(Instant time) {
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), NANOS_PER_SECOND), time.getNano());
  }
}
