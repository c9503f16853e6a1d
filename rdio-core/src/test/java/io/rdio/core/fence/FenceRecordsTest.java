// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in which it is kept what was fenced. */
final class FenceRecordsTest {
  private static final FenceRecord RECORD =
      new FenceRecord(
          "dn1.example.org",
          "uuid.f3fedec5/..",
          "admin",
          FenceState.FENCING,
          Instant.parse("2026-11-27T02:00:00.5Z"));

  @TempDir Path folder;

  private FenceRecords records() {
    return new FenceRecords(folder.resolve("made"));
  }

  @Test
  void keepsOneForEachHostAndDevice() throws IOException {
    FenceRecord other =
        new FenceRecord("dn2", RECORD.wwid(), "admin", FenceState.FENCED, RECORD.since());
    assertThat(records().all()).isEmpty();

    records().write(RECORD);
    records().write(other);
    records().write(RECORD.to(FenceState.FENCED, RECORD.since()));

    assertThat(records().all())
        .containsExactlyInAnyOrder(RECORD.to(FenceState.FENCED, RECORD.since()), other);
    assertThat(records().find("DN1.example.org", RECORD.wwid())).isPresent();
    assertThat(records().find("dn1.example.org", "another")).isEmpty();
    records().remove("dn2", RECORD.wwid());
    records().remove("dn2", RECORD.wwid());
    assertThat(records().all()).hasSize(1);
  }

  /** The name of a device leads to no other folder. */
  @Test
  void staysInItsFolder() throws IOException {
    records().write(RECORD);

    assertThat(folder.resolve("made"))
        .isDirectoryContaining(file -> file.toString().endsWith(".fence"));
    assertThat(folder).isDirectoryNotContaining(file -> file.toString().endsWith(".fence"));
  }

  /** One that was being written when the machine lost its power is not there yet. */
  @Test
  void fileThatIsBeingWrittenIsNone() throws IOException {
    records().write(RECORD);
    Files.write(folder.resolve("made/x@y.fence.new"), new byte[] {1});

    assertThat(records().all()).containsExactly(RECORD);
  }

  /** A reader that is cancelled does not take the fence for lost. */
  @Test
  void interruptedThreadReadsThem() throws IOException {
    records().write(RECORD);

    Thread.currentThread().interrupt();
    try {
      assertThat(records().all()).containsExactly(RECORD);
      assertThat(records().find(RECORD.host(), RECORD.wwid())).contains(RECORD);
    } finally {
      assertThat(Thread.interrupted()).as("as it was").isTrue();
    }
  }

  /** A link to nowhere is such a one: it is listed, and is not there. */
  @Test
  void oneThatIsGoneSinceItWasListedIsNone() throws IOException {
    records().write(RECORD);
    Files.createSymbolicLink(folder.resolve("made/x@y.fence"), folder.resolve("nowhere"));

    assertThat(records().all()).containsExactly(RECORD);
  }

  @Test
  void whatIsCutShortIsRefused() throws IOException {
    byte[] whole = RECORD.encode();
    assertThat(FenceRecord.parse(whole)).contains(RECORD);
    for (int length = 0; length < whole.length; length++) {
      assertThat(FenceRecord.parse(Arrays.copyOf(whole, length))).as("%d bytes", length).isEmpty();
    }
    records().write(RECORD);
    Path file = folder.resolve("made/dn1.example.org@uuid.f3fedec5%2F...fence");
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));

    assertThatThrownBy(() -> records().all())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }

  /** Or who asks for its host's key would get no answer. */
  @Test
  void recordOfNoHostIsRefused() {
    String text = new String(RECORD.encode(), UTF_8);
    assertThat(FenceRecord.parse(text.replace(RECORD.host(), " ").getBytes(UTF_8))).isEmpty();
    assertThat(FenceRecord.parse(text.replace("by admin", "by .").getBytes(UTF_8))).isEmpty();
  }

  @Test
  void recordInOtherBytesIsRefused() {
    String text = new String(RECORD.encode(), UTF_8);
    assertThat(FenceRecord.parse(text.replace("fencing", "Fencing").getBytes(UTF_8))).isEmpty();
    assertThat(FenceRecord.parse(text.replace("00.5", "00.50").getBytes(UTF_8))).isEmpty();
  }

  @Test
  void recordOfTomorrowIsRefused() {
    String text = new String(RECORD.encode(), UTF_8);
    assertThat(FenceRecord.parse(text.replace("fencing", "shunned").getBytes(UTF_8))).isEmpty();
  }
}
