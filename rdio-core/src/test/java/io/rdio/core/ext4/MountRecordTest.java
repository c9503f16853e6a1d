// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class MountRecordTest {
  private static final List<String> FIT = List.of("rw", "barrier", "commit=5", "data=ordered");

  private static final String ID = "00000000-0000-4000-8000-000000000001";
  private static final long MADE = 1_800_000_000L;

  private static MountRecord record(List<String> options) {
    return new MountRecord("DS-1", UUID.fromString(ID), MADE, "Linux 6.18", options);
  }

  @Test
  void whatIsEncodedIsParsed() {
    MountRecord record = record(FIT);
    assertThat(MountRecord.parse(record.encode())).contains(record);
  }

  @Test
  void whatWasCutShortIsNone() {
    byte[] whole = record(FIT).encode();
    for (int length = 0; length < whole.length; length++) {
      assertThat(MountRecord.parse(Arrays.copyOf(whole, length))).isEmpty();
    }
    assertThat(MountRecord.parse(Arrays.copyOf(whole, whole.length + 1))).isEmpty();
    assertThat(MountRecord.parse("end\n".getBytes(UTF_8))).isEmpty();
  }

  /** Half a character, a number with a sign, a UUID in short: no writer has them. */
  @Test
  void whatNoWriterWroteIsNone() {
    byte[] whole = record(FIT).encode();
    byte[] half = whole.clone();
    half[whole.length - 6] = (byte) 0xC3; // the last character of the last option
    String text = new String(whole, UTF_8);

    assertThat(MountRecord.parse(half)).isEmpty();
    assertThat(MountRecord.parse(text.replace("made ", "made +").getBytes(UTF_8))).isEmpty();
    assertThat(MountRecord.parse(text.replace(ID, "0-0-4000-8000-1").getBytes(UTF_8))).isEmpty();
  }

  @Test
  void dataMustBeOrderedAndCommitsToo() {
    assertThat(record(FIT).whyUnfit()).isEmpty();
    assertThat(record(List.of("rw", "barrier")).whyUnfit().orElse("")).contains("data=ordered");
    assertThat(record(List.of("barrier", "data=writeback")).whyUnfit()).isPresent();
    assertThat(record(List.of("barrier", "data=journal")).whyUnfit()).isPresent();
    assertThat(record(List.of("nobarrier", "data=ordered")).whyUnfit().orElse(""))
        .contains("without barrier");
    assertThat(
            record(List.of("barrier", "data=ordered", "journal_async_commit"))
                .whyUnfit()
                .orElse(""))
        .contains("journal_async_commit");
  }
}
