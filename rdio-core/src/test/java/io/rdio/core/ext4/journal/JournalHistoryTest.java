// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a journal says of blocks that were read before: whether they may have changed. */
final class JournalHistoryTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private LogImage log;
  private byte[] bytes;
  private Journal journal;

  // Blocks of the file, which serve as metadata here.
  private int first;
  private int second;

  @BeforeEach
  void makeImage() throws Exception {
    Ext4Image.requireTools();
    Path content = Files.createDirectory(directory.resolve("content"));
    Files.write(content.resolve("file"), "journal".repeat(3000).getBytes(US_ASCII));
    Path file = directory.resolve("image");
    String options = "-t ext4 -b 1024 -J size=1";
    log = new LogImage(Ext4Image.make(file, content, "16M", options), 1024, "jo -c");
    log.checked();
    bytes = log.bytes();
    Ext4Volume volume = LogImage.volume(bytes);
    first = (int) volume.extents(volume.resolve("/file")).get(0).physical();
    second = first + 1;
    commit(first);
    journal = Journal.open(LogImage.volume(bytes));
  }

  private void commit(int... blocks) throws IOException {
    log.commitBlocks(blocks, bytes);
    see();
  }

  private void see() throws IOException {
    byte[] now = log.bytes();
    System.arraycopy(now, 0, bytes, 0, now.length);
  }

  private void checkpoint() throws IOException {
    log.checkpoint();
  }

  @Test
  void aTransactionTouchesWhatItWrites() throws Exception {
    long before = journal.position();
    assertThat(journal.isUntouched(first, before)).isTrue();

    commit(first);
    assertThat(journal.isUntouched(first, before)).as("not looked yet").isTrue();
    assertThat(journal.catchUp().isProper()).isTrue();
    assertThat(journal.isUntouched(first, before)).isFalse();
    assertThat(journal.isUntouched(second, before)).isTrue();
    assertThat(journal.isUntouched(first, journal.position())).isTrue();
    assertThat(journal.position()).isEqualTo(before + 1);
  }

  @Test
  void andWhatItRevokes() throws Exception {
    long before = journal.position();
    assertThat(journal.has(first)).isTrue();
    assertThat(journal.hasAny(first - 3, 3)).isFalse();
    assertThat(journal.hasAny(first - 3, 4)).isTrue();
    log.revoke(first);
    see();
    journal.catchUp();

    assertThat(journal.isUntouched(first, before)).isFalse();
    assertThat(journal.has(first)).isFalse();
    assertThat(journal.hasAny(first - 3, 4)).isFalse();
  }

  @Test
  void checkpointsTouchNothing() throws Exception {
    long before = journal.position();
    int due = LogImage.logBlock(bytes, 0).getInt(0x18) + 1;
    checkpoint();
    see();
    // As the kernel leaves it that goes on; debugfs leaves a sequence out.
    LogImage.moveStart(bytes, 0, due);
    Files.write(log.file(), bytes);
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    assertThat(journal.has(first)).isFalse();
    assertThat(journal.isUntouched(first, before)).isTrue();

    // The log goes on with the transaction that was due.
    commit(second);
    journal.catchUp();
    assertThat(journal.isUntouched(first, before)).isTrue();
    assertThat(journal.isUntouched(second, before)).isFalse();
    assertThat(journal.isMountedAnew()).isFalse();
  }

  @Test
  void nobodyKnowsWhatHappenedInTransactionsThatWereMissed() throws Exception {
    long before = journal.position();
    log.commitBlocks(new int[] {first}, bytes);
    checkpoint();
    commit(second);
    journal.catchUp();

    assertThat(journal.isUntouched(first, before)).isFalse();
    assertThat(journal.isUntouched(first + 5, before)).as("nor of any other block").isFalse();
    assertThat(journal.isUntouched(first + 5, journal.position())).isTrue();
  }

  @Test
  void alsoWhereTheLogIsEmptyAgain() throws Exception {
    checkpoint();
    see();
    journal.catchUp();
    long before = journal.position();
    log.commitBlocks(new int[] {first}, bytes);
    checkpoint();
    see();
    assertThat(journal.catchUp()).isEqualTo(LogEnd.EMPTY);
    assertThat(journal.isUntouched(first, before)).isFalse();
  }

  @Test
  void alsoWhereItBeginsElsewhereWithWhatWasDue() throws Exception {
    long before = journal.position();
    int due = LogImage.logBlock(bytes, 0).getInt(0x18) + 1;
    // Two blocks behind the first one: where the log goes on.
    long next = LogImage.logBlock(bytes, 0).getInt(0x1C) + 3L;
    LogImage.moveStart(bytes, next, due);
    journal.catchUp();
    assertThat(journal.isUntouched(first, before)).isTrue();

    LogImage.moveStart(bytes, 700, due);
    journal.catchUp();
    assertThat(journal.isUntouched(first, before)).isFalse();
  }

  @Test
  void moreBlocksThanAreRememberedAreAGap() {
    History history = new History();
    LogFormat.Tag tag = new LogFormat.Tag(7, 0, false);
    history.took(
        new LogScanner.Transaction(1, List.of(new LogScanner.Copy(1, 2, tag)), List.of(8L)));
    long then = history.now();
    assertThat(history.isUntouched(9, 0)).isTrue();
    for (long block = 10; block < 10L + History.MAX_BLOCKS; block++) {
      history.took(new LogScanner.Transaction(2, List.of(), List.of(block)));
    }
    assertThat(history.isUntouched(9, then)).isFalse();
    assertThat(history.isUntouched(9, history.now())).isTrue();
  }

  @Test
  void anotherMountIsSeenWhereTheLogIsEmpty() throws Exception {
    checkpoint();
    see();
    journal.catchUp();
    assertThat(journal.isMountedAnew()).isFalse();

    new Ext4Image(log.file()).change("ssv mnt_count 77");
    see();
    journal.catchUp();
    assertThat(journal.isMountedAnew()).isTrue();
  }

  @Test
  void andWhereItsStartHasMoved() throws Exception {
    new Ext4Image(log.file()).change("ssv mnt_count 77");
    see();
    journal.catchUp();
    assertThat(journal.isMountedAnew()).as("the start is the same").isFalse();
    checkpoint();
    commit(first);
    journal.catchUp();
    assertThat(journal.isMountedAnew()).isTrue();
  }
}
