// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.filemap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
}
