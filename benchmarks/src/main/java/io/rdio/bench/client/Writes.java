// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Crew.Effort;
import io.rdio.bench.client.Loads.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/** Writes files as {@link Task.Kind#WRITE} says it, by one way. */
final class Writes {
  private static final double NANOS = 1e9;

  private final ReadWay way;
  private final Task task;
  private final Output output;

  Writes(ReadWay way, Task task) {
    this.way = way;
    this.task = task;
    this.output = Objects.requireNonNull(task.output(), "a task to write has no output");
  }

  /** Each file's time is from before it is created to behind its close. */
  Outcome run() throws IOException {
    List<Histogram> latencies = new ArrayList<>();
    List<Content> contents = new ArrayList<>();
    for (int i = 0; i < task.threads(); i++) {
      latencies.add(Latencies.histogram());
      contents.add(new Content(output.arrayBytes()));
    }
    AtomicInteger begun = new AtomicInteger();
    PhaseTimes phases = new PhaseTimes();
    long nanos = (long) (task.seconds() * NANOS);
    Effort effort =
        Crew.run(
            task.threads(),
            thread -> {
              long end = System.nanoTime() + nanos;
              do {
                int number = begun.getAndIncrement();
                if (number >= task.files().size()) {
                  return;
                }
                long start = System.nanoTime();
                write(task.files().get(number), contents.get(thread), phases);
                Latencies.recordSince(latencies.get(thread), start);
              } while (System.nanoTime() < end);
            });
    Histogram all = Latencies.histogram();
    latencies.forEach(all::add);
    long files = all.getTotalCount();
    return new Outcome(files * output.bytes(), files, effort, all, List.of(), phases.nanos(), 0);
  }

  private void write(String file, Content content, PhaseTimes phases) throws IOException {
    long begun = System.nanoTime();
    try (OutputStream out = way.create(file, output)) {
      begun = phases.addSince(Phase.CREATE, begun);
      content.write(out, file, output.bytes());
      begun = phases.addSince(Phase.WRITE, begun);
    }
    phases.addSince(Phase.CLOSE, begun);
  }
}
