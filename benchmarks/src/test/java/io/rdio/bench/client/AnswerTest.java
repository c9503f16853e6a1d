// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class AnswerTest {
  @Test
  void goesThroughALineOfText() throws IOException {
    Histogram histogram = Latencies.histogram();
    histogram.recordValue(12_345);
    histogram.recordValue(Latencies.LONGEST_NANOS);
    Answer answer =
        new Answer(
            new Totals(1L << 40, 2, 1.5, 0.25, 0.125),
            new Counters(7, 8, 9, 10, 11, 12, Map.of("LEASE_EXPIRED", 3L)),
            Answer.encode(histogram),
            List.of("00ff"),
            Map.of(Phase.OPEN, 5L),
            new Written(12, 13));
    assertThat(answer.toLine()).doesNotContain("\n");
    Answer read = Answer.ofLine(answer.toLine());
    assertThat(read).isEqualTo(answer);
    assertThat(read.histogram().getTotalCount()).isEqualTo(2);
    assertThat(read.histogram().getMinValue()).isCloseTo(12_345, withinThreeDigits());
  }

  private static Percentage withinThreeDigits() {
    return Percentage.withPercentage(0.1);
  }

  @Test
  void tasksGoThroughALineOfText() throws IOException {
    Task task =
        new Task(
            Task.Kind.POSITIONAL,
            List.of("/a", "/b"),
            3,
            List.of(4096),
            0.99,
            0.5,
            42,
            List.of(),
            0,
            false,
            null,
            null);
    assertThat(Task.ofLine(task.toLine())).isEqualTo(task);
    Task.Operations operations = new Task.Operations(Mix.D, 2, 0.99);
    Task records = Task.records(List.of("/a"), 4096, operations, 1, 3);
    assertThat(Task.ofLine(records.toLine())).isEqualTo(records);
    Task columns = Task.columns("/table", List.of(1, 5), true, 3);
    assertThat(Task.ofLine(columns.toLine())).isEqualTo(columns);
    Task stream = Task.stream(List.of("/a", "/b"), 2, 1 << 20, 0.5);
    assertThat(Task.ofLine(stream.toLine())).isEqualTo(stream);
    Task write = Task.write(List.of("/a"), 1, new Output(5L << 30, 1 << 16, 1 << 27, 3), 0.5);
    assertThat(Task.ofLine(write.toLine())).isEqualTo(write);
    assertThat(Task.ofLine(task.whenTold().toLine()).told()).isTrue();
  }

  @Test
  void withoutTimedReadsThereIsNoLatency() throws IOException {
    Answer answer = Answer.of(new Totals(1, 1, 1, 1, 1), Counters.ofBytes(0, 0));
    assertThat(Answer.ofLine(answer.toLine()).histogram().getTotalCount()).isZero();
  }
}
