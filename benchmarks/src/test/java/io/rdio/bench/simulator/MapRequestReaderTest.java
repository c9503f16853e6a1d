// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of the FileMap cache, from flight recordings. */
class MapRequestReaderTest {
  private static final int REQUESTS = 100;
  private static final int BLOCKS = 7;

  @TempDir private Path folder;

  /** As rdio-core has it. */
  @Name(MapRequestReader.EVENT)
  @StackTrace(false)
  static final class Request extends Event {
    long block;

    static void ask(long block) {
      Request request = new Request();
      request.block = block;
      request.commit();
    }
  }

  /** Something else that a recording has. */
  @Name("io.rdio.test.Other")
  static final class Other extends Event {}

  private Path recordingOf(int requests) throws Exception {
    Path file = folder.resolve("maps.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(Request.class);
      recording.enable(Other.class);
      recording.start();
      for (int i = 0; i < requests; i++) {
        long block = 1_073_741_825L + i % BLOCKS;
        Thread reader = new Thread(() -> Request.ask(block));
        reader.start();
        reader.join();
        new Other().commit();
      }
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  @Test
  void requestsOfAllThreadsComeInTheirOrder() throws Exception {
    Path file = recordingOf(REQUESTS);
    assertThat(MapRequestReader.read(file))
        .containsExactly(
            LongStream.range(0, REQUESTS).map(i -> 1_073_741_825L + i % BLOCKS).toArray());
    Trace trace = TraceReader.read(file);
    assertThat(trace.name()).isEqualTo("maps");
    assertThat(trace.length()).isEqualTo(REQUESTS);
    assertThat(trace.objects()).isEqualTo(BLOCKS);
  }

  @Test
  void recordingWithoutAnyIsNoTrace() throws Exception {
    Path file = recordingOf(0);
    assertThatThrownBy(() -> TraceReader.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no requests");
  }

  @Test
  void whatIsNoRecordingIsRefused() throws IOException {
    Path file = Files.write(folder.resolve("no.jfr"), new byte[100]);
    assertThatThrownBy(() -> TraceReader.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no flight recording");
  }

  @Test
  void eventIsThatOfTheClient() throws ReflectiveOperationException {
    Class<?> event = Class.forName("io.rdio.client.filemap.MapRequest");
    assertThat(event.getAnnotation(Name.class).value()).isEqualTo(MapRequestReader.EVENT);
    assertThat(event.getDeclaredField(MapRequestReader.BLOCK).getType()).isEqualTo(long.class);
  }
}
