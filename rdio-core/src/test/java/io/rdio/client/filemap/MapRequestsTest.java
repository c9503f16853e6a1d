// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.testing.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What flight recordings have of readers that ask for maps. */
class MapRequestsTest {
  private static final String EVENT = "io.rdio.FileMapRequest";
  private static final List<String> FOR_RECORDINGS =
      List.of(MapRequest.class.getName(), "jdk.jfr.internal.PlatformRecorder");

  private final FileMapCacheFixture fixture = new FileMapCacheFixture();

  @TempDir private Path folder;

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<Long> recorded(boolean wanted) throws Exception {
    fixture.file(List.of(1L, 2L), "a");
    Path file = folder.resolve("maps.jfr");
    try (Recording recording = new Recording()) {
      if (wanted) {
        recording.enable(EVENT);
      }
      recording.start();
      for (long block : new long[] {1, 2, 1, 1, 2}) {
        fixture.cache.requested(FileMapCacheFixture.key(block));
        fixture.get(block);
        fixture.get(block); // once more for the same request
      }
      fixture.cache.peek(FileMapCacheFixture.key(1)); // no use of it
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(EVENT))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
        .map(event -> event.getLong("block"))
        .toList();
  }

  @Test
  void recordingThatAsksForThemHasThemInTheirOrder() throws Exception {
    assertThat(recorded(true)).containsExactly(1L, 2L, 1L, 1L, 2L);
  }

  @Test
  void noOtherRecordingHasAny() throws Exception {
    assertThat(recorded(false)).isEmpty();
  }

  /** A JVM whose readers ask; with an argument it records first. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] args) {
      if (args.length == 0) {
        ask();
        return;
      }
      try (Recording recording = new Recording()) {
        recording.enable(EVENT);
        recording.start();
        ask();
      }
    }

    private static void ask() {
      MapRequests.asked(new BlockKey("BP-1", 1, 1001));
    }
  }

  /** Of what is loaded for recordings only. */
  private List<String> loadedForRecordings(String... arguments) throws Exception {
    Path log = folder.resolve("classes.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xlog:class+load:file=" + log + ":none");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Reader.class.getName());
    command.addAll(List.of(arguments));
    Command.run(command.toArray(String[]::new));
    List<String> loaded =
        Files.readAllLines(log).stream().map(line -> line.split(" ", 2)[0]).toList();
    assertThat(loaded).contains(MapRequests.class.getName());
    return loaded.stream().filter(FOR_RECORDINGS::contains).distinct().toList();
  }

  /** With the first event the recorder gets ready: every young client would wait for that. */
  @Test
  void jvmInWhichNobodyRecordsLoadsNoneOfIt() throws Exception {
    assertThat(loadedForRecordings()).isEmpty();
  }

  /** So that the test above does not look for what is never there. */
  @Test
  void jvmThatRecordsLoadsIt() throws Exception {
    assertThat(loadedForRecordings("record")).containsExactlyInAnyOrderElementsOf(FOR_RECORDINGS);
  }
}
